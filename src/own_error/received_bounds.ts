import { summarize } from "../statistics/summarize.ts";
import { boundsBy, type StatisticBounds } from "./bounded_statistics.ts";

/**
 * Bounds of the latency of replies in one piece. One that took several reads may have been written when
 * the first of these returned: whatever it waited for then, canaries, which are read at once, do not
 * tell. So each lower end is as much lower as the statistic would be.
 * @param bounds as canaries tell them
 * @param valuesMs latencies
 * @param receivingMs how long each reply was received
 */
export function receivedBounds(
  bounds: StatisticBounds,
  valuesMs: Float64Array,
  receivingMs: Float64Array,
): StatisticBounds {
  if (!receivingMs.some((ms) => ms > 0)) return bounds;
  const measured = summarize(valuesMs);
  const begun = summarize(valuesMs.map((value, i) => value - (receivingMs[i] as number)));
  return boundsBy((name) => {
    const { lower, upper } = bounds[name];
    return { lower: Math.max(0, lower - (measured[name] - begun[name])), upper };
  });
}
