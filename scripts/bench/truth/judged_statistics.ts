import { type Statistic, STATISTICS, type TrueStatistics } from "./true_statistics.ts";

/** What the product says of a statistic's trustworthiness. */
export type Verdict = "valid" | "suspect" | "invalid";

/** A reported statistic beside the true one. */
export interface JudgedStatistic {
  readonly tag: string;
  readonly statistic: Statistic;
  readonly reported: number;
  readonly true: number;
  /** Reported minus true, as a share of the true value. */
  readonly errorShare: number;
  /** What the product says of it; absent if it says nothing. */
  readonly claim?: Claim;
}

/** The interval that the product gives, and what it concludes. */
export interface Claim {
  readonly lower: number;
  readonly upper: number;
  readonly verdict: Verdict;
  /** Whether the true value is within. */
  readonly holds: boolean;
}

/** A statistic off by more than this is not to be called valid. */
export const MAX_VALID_SHARE = 0.05;

/**
 * What the clocks of two processes may disagree by: the product's epoch is in whole microseconds. The
 * times of one process, as those between tokens, are free of it.
 */
const CLOCK_MS = 0.001;
const CROSSING = new Set(["time_to_first_token", "request_latency"]);
/** What sums in another order may differ by. */
const ROUNDING_SHARE = 1e-9;

/** The part of `profile_export_aiperf.json` that is judged. */
export type ReportedJson = Readonly<Record<string, Partial<Record<Statistic, number>>>> & {
  readonly "measurement_error"?: {
    readonly "verdict": Verdict;
    readonly "reasons": readonly string[];
    readonly "metrics": Readonly<
      Record<string, Partial<Record<Statistic, Omit<Claim, "holds">>>>
    >;
  };
};

/** Every statistic that is reported and whose truth is known. */
export function judgeStatistics(
  reported: ReportedJson,
  truth: Pick<TrueStatistics, "metrics">,
): JudgedStatistic[] {
  const claims = reported["measurement_error"]?.["metrics"] ?? {};
  const judged: JudgedStatistic[] = [];
  for (const [tag, values] of truth.metrics) {
    for (const statistic of STATISTICS) {
      const trueValue = values[statistic];
      const value = reported[tag]?.[statistic];
      if (trueValue === undefined || value === undefined) continue;
      const claim = claims[tag]?.[statistic];
      const slack = Math.abs(trueValue) * ROUNDING_SHARE + (CROSSING.has(tag) ? CLOCK_MS : 0);
      judged.push({
        tag,
        statistic,
        reported: value,
        true: trueValue,
        errorShare: value === trueValue ? 0 : (value - trueValue) / Math.abs(trueValue),
        ...(claim === undefined ? {} : {
          claim: {
            ...claim,
            holds: claim.lower <= trueValue + slack && trueValue <= claim.upper + slack,
          },
        }),
      });
    }
  }
  return judged;
}

/** Whether the client shifted it by no more than a valid statistic may be. */
export function isTrulyGood({ errorShare }: JudgedStatistic): boolean {
  return Math.abs(errorShare) <= MAX_VALID_SHARE;
}

/** Whether it is called valid and is not. */
export function isFalselyValid(judged: JudgedStatistic): boolean {
  return judged.claim?.verdict === "valid" && !isTrulyGood(judged);
}
