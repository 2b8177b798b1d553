import type { Summary } from "../statistics/summarize.ts";
import type { LocalDelays } from "./local_delays.ts";

/** A metric of requests as it was measured, and how the reading of chunks shifts it. */
export interface ShiftedMetric {
  /** Its summary as it is reported. */
  readonly summary: Summary;
  /** Its values, in milliseconds. */
  readonly values: Float64Array;
  /** Tokens, or one, that a delay of a chunk is shared out among, for each value. */
  readonly divisors: Float64Array | undefined;
  /** Delays of the chunk at which the measured time ends; they make it longer. */
  readonly later: LocalDelays;
  /** Delays of the chunk at which it begins, which make it shorter; undefined if it is the start. */
  readonly earlier: LocalDelays | undefined;
  /** The most that the chunk at which it begins can have been late; undefined if not known. */
  readonly earlierAtMostMs?: Float64Array;
  /** Whether it is of a part of a run: only bounds that take no time are wanted. @default false */
  readonly isPart?: boolean;
  /** Whether the percentiles are those of the greatest values counted from above. @default false */
  readonly mirrored?: boolean;
}
