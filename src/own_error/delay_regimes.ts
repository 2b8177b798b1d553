/** How long delays are against what is measured, which decides what canaries can tell of it. */

import { percentile } from "../statistics/percentile.ts";
import type { LocalDelays } from "./local_delays.ts";
import type { SampledValues } from "./sampled_values.ts";

/** Delays whose median is above this share of the measured one shape the measurement all over. */
const SATURATED_SHARE = 0.05;
/** Delays whose mean is above this share of the measured median leave nothing above it certain. */
const OVERWHELMED_SHARE = 0.2;
/** Delays whose mean is above this share of the time to a later chunk make both come at once. */
const MERGED_SHARE = 0.5;
/** The longest delay of a calm run, as a share of the measured median. */
const CALM_SHARE = 0.1;

/** The median of the time that was measured, whatever it is divided by. */
export function measuredMs({ sorted, divisors }: SampledValues): number {
  return percentile(sorted, 50) * (divisors?.[sorted.length >> 1] ?? 1);
}

/** Whether no canary was late by much against what is measured. */
export function isCalm(sampled: SampledValues, { longestNs }: LocalDelays): boolean {
  return longestNs / 1e6 < measuredMs(sampled) * CALM_SHARE;
}

/** Whether delays are common and long against what is measured, so that they shape it all over. */
export function isSaturated(sampled: SampledValues, { timed }: LocalDelays): boolean {
  return timed.medianMs > measuredMs(sampled) * SATURATED_SHARE;
}

/** Whether delays of canaries stand for those of the chunks at both ends of a time. */
export function isToldBy(
  sampled: SampledValues,
  later: LocalDelays,
  earlier: LocalDelays | undefined,
): boolean {
  return later.unwatched + (earlier?.unwatched ?? 0) === 0 && later.factor === 1 &&
    !isMerged(sampled, earlier);
}

/** Whether a chunk often lies unread until the next one has come, so that both are read at once. */
function isMerged(sampled: SampledValues, earlier: LocalDelays | undefined): boolean {
  return earlier !== undefined && earlier.meanNs / 1e6 > measuredMs(sampled) * MERGED_SHARE;
}

/** Whether delays are so long against what is measured that canaries cannot tell the rest. */
export function isOverwhelmed(sampled: SampledValues, { meanNs }: LocalDelays): boolean {
  return meanNs / 1e6 > measuredMs(sampled) * OVERWHELMED_SHARE;
}
