import { summarize } from "../statistics/summarize.ts";
import { type BoundedStatistic, boundsBy, type StatisticBounds } from "./bounded_statistics.ts";

/** What values would be if what came in several reads had been there when the first of them returned. */
export interface ReceivedValues {
  readonly values: Float64Array;
  /** The least, and the most, that they would be; undefined where they would be the same. */
  readonly least: Float64Array | undefined;
  readonly most: Float64Array | undefined;
}

/**
 * Bounds of what came in several reads. A reply in one piece, and a chunk behind others that a read had
 * no room for, may have been there when the first of the reads returned: whatever it waited for then,
 * canaries, which are read at once, do not tell. So each end is as much farther off as the statistic
 * would be.
 * @param bounds as canaries tell them
 */
export function receivedBounds(
  bounds: StatisticBounds,
  { values, least, most }: ReceivedValues,
): StatisticBounds {
  if (least === undefined && most === undefined) return bounds;
  const measured = summarize(values);
  const [lowest, highest] = [least, most].map((changed) => changed && summarize(changed));
  const change = (changed: typeof lowest, name: BoundedStatistic): number =>
    changed === undefined ? 0 : changed[name] - measured[name];
  return boundsBy((name) => {
    const { lower, upper } = bounds[name];
    return {
      lower: Math.max(0, lower + change(lowest, name)),
      upper: upper + change(highest, name),
    };
  });
}
