import { arithmeticMean } from "../../core/statistics/arithmetic_mean.ts";
import type { AnswerFingerprints } from "../answers/drift_findings.ts";
import {
  type Estimate,
  estimatedDifference,
  pairedDifference,
} from "../answers/paired_difference.ts";
import { type ComparedShares, MIN_PAIRED } from "./compared_shares.ts";
import type { RunSample } from "./run_sample.ts";
import { samplePairs } from "./sample_pairs.ts";

/**
 * Compares the drift of two sides: the share of answers that differ under load beyond those that differ
 * without load. The interval is put together from the intervals of both (G. Y. Zou and A. Donner,
 * "Construction of confidence limits about effect measures", Statistics in Medicine 27 (2008),
 * 1693-1702), with the correlation of both over the prompts that both samples have.
 * @returns the comparison by the normal quantile of its interval; undefined without two samples
 */
export function driftDifference(
  before: readonly RunSample[],
  after: readonly RunSample[],
): ((z: number) => ComparedShares) | undefined {
  const [a, b] = [before, after].map((runs) =>
    runs.flatMap(({ answers }) => answers?.sample ?? [])
  );
  if (a === undefined || b === undefined || a.length === 0 || b.length === 0) return undefined;
  const pairs = samplePairs(before, after);
  const isPaired = pairs.length >= MIN_PAIRED * Math.min(a.length, b.length);
  const [first, second] = isPaired
    ? [pairs.map(([one]) => one), pairs.map(([, other]) => other)]
    : [a, b];
  const phi = isPaired ? correlation(first.map(driftOf), second.map(driftOf)) : 0;
  return (z) => {
    const [one, other] = [driftEstimate(first, z), driftEstimate(second, z)];
    return {
      ...{ before: one.value, after: other.value, pairs: isPaired ? pairs.length : 0 },
      ...estimatedDifference(other, one, phi),
    };
  };
}

/** Whether an answer differs under load, minus whether it differs without load. */
function driftOf({ after, before, under }: AnswerFingerprints): number {
  return Number(under !== before) - Number(after !== before);
}

function driftEstimate(rows: readonly AnswerFingerprints[], z: number): Estimate {
  const counts = { both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 };
  for (const { after, before, under } of rows) {
    if (under !== before) counts[after !== before ? "both" : "onlyFirst"]++;
    else counts[after !== before ? "onlySecond" : "neither"]++;
  }
  const { difference: value, lower, upper } = pairedDifference(counts, z);
  return { value, lower, upper };
}

/** Pearson's correlation; 0 if either does not vary. */
function correlation(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [arithmeticMean(a), arithmeticMean(b)];
  let [product, squaresA, squaresB] = [0, 0, 0];
  a.forEach((value, at) => {
    const [x, y] = [value - meanA, (b[at] as number) - meanB];
    product += x * y;
    squaresA += x * x;
    squaresB += y * y;
  });
  const norm = Math.sqrt(squaresA * squaresB);
  return norm === 0 ? 0 : product / norm;
}
