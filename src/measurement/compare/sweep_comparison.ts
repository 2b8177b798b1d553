/** Two sweeps compared: point by point where their settings are equal, and along their frontiers. */

import { comparableVerdict } from "./comparable_differences.ts";
import type { Difference, Verdict } from "./difference.ts";
import type { QuietDifference } from "./quiet_difference.ts";
import type { FrontierDifference, FrontierStep } from "./frontier_difference.ts";

/** Settings of a point by the parameters of either sweep. */
export type PointSettings = Readonly<Record<string, number | string>>;

/** A point that both sweeps have. */
export interface JoinedPoint {
  readonly settings: PointSettings;
  /** Part of its runs that is compared. */
  readonly window: "steady" | "run";
  /** Number of runs on each side. */
  readonly runs: { readonly before: number; readonly after: number };
  readonly differences: readonly Difference[];
  /** Answers without load; undefined if the samples of --verify drift have no prompt in common. */
  readonly quiet: QuietDifference | undefined;
}

/** A point of one side, as charts show it. */
export interface SidePoint {
  readonly settings: PointSettings;
  /** Output tokens per second and user, and output tokens per second; NaN if they are not known. */
  readonly speed: number;
  readonly rate: number;
  /** 95 % intervals of both; NaN if they are not known. */
  readonly speedInterval: readonly [lower: number, upper: number];
  readonly rateInterval: readonly [lower: number, upper: number];
  readonly isOnFront: boolean;
  readonly runs: number;
}

/** See the module's comment. */
export interface SweepComparison {
  readonly before: string;
  readonly after: string;
  readonly points: readonly JoinedPoint[];
  /** Settings of points that the other side does not have. */
  readonly onlyBefore: readonly PointSettings[];
  readonly onlyAfter: readonly PointSettings[];
  readonly sides: { readonly before: readonly SidePoint[]; readonly after: readonly SidePoint[] };
  /** Whether throughput is that of a GPU, because both sides state their GPUs. */
  readonly isPerGpu: boolean;
  readonly frontier: FrontierDifference;
  /** Whether all runs of both sides did the same work, as far as that is known. */
  readonly isComparable: boolean;
  /** Fraction below which a difference is ignored. */
  readonly minDifference: number;
  readonly notes: readonly string[];
}

/** Which side has the higher throughput at a step; a larger throughput is better. */
export function stepVerdict(
  { lower, upper }: FrontierStep,
  { isComparable, minDifference }: Pick<SweepComparison, "isComparable" | "minDifference">,
): Verdict {
  const isSignificant = lower > minDifference || upper < -minDifference;
  if (!isSignificant) return "not significant";
  return comparableVerdict(lower > minDifference ? "better" : "worse", isComparable);
}

/** Settings as text: `concurrency=4, isl=128`. */
export function settingsText(settings: PointSettings): string {
  return Object.entries(settings).map(([name, value]) => `${name}=${value}`).join(", ");
}
