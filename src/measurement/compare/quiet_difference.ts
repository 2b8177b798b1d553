import { pairedDifference } from "../answers/paired_difference.ts";
import type { RunSample } from "./run_sample.ts";
import { samplePairs } from "./sample_pairs.ts";

/** Answers of two sides without load to the prompts that both samples have. */
export interface QuietDifference {
  /** Prompts that both sides answered. */
  readonly prompts: number;
  /** Share of the prompts whose answers before the load differ between the sides. */
  readonly differ: number;
  /** Share whose answers before and after the load differ, on the side where they differ more. */
  readonly noiseFloor: number;
  /** 95 % confidence interval of the first share minus the second. */
  readonly lower: number;
  readonly upper: number;
  /** Whether the sides differ by more than one of them by itself. */
  readonly hasChanged: boolean;
}

/** Compares the answers without load; undefined if the samples have no prompt in common. */
export function quietDifference(
  before: readonly RunSample[],
  after: readonly RunSample[],
): QuietDifference | undefined {
  const pairs = samplePairs(before, after);
  if (pairs.length === 0) return undefined;
  const noise = [0, 1].map((side) =>
    pairs.map((pair) => pair[side as 0 | 1].before !== pair[side as 0 | 1].after)
  );
  const share = (flags: readonly boolean[]): number =>
    flags.filter((flag) => flag).length / flags.length;
  const [a, b] = noise as [boolean[], boolean[]];
  const isNoise = share(b) > share(a) ? b : a;
  const counts = { both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 };
  pairs.forEach(([one, other], at) => {
    if (one.before !== other.before) counts[isNoise[at] ? "both" : "onlyFirst"]++;
    else counts[isNoise[at] ? "onlySecond" : "neither"]++;
  });
  const { lower, upper } = pairedDifference(counts);
  return {
    prompts: pairs.length,
    differ: (counts.both + counts.onlyFirst) / pairs.length,
    noiseFloor: share(isNoise),
    ...{ lower, upper, hasChanged: lower > 0 },
  };
}
