import type { DatasetPlan } from "../../../config/plan/run_plan.ts";
import type { LengthShare } from "../../../config/plan/prompts_plan.ts";
import { randomStream } from "../../../core/statistics/random_stream.ts";
import { tokenLength } from "./token_lengths.ts";

/** Lengths of one request. */
export interface DrawnLengths {
  /** 0 only where a prefix makes the prompt. */
  readonly inputTokens: number;
  /** undefined leaves it to the server. */
  readonly outputTokens: number | undefined;
}

/**
 * Draws the lengths of a synthetic request; they depend only on the seed and the number of the
 * request.
 */
export function drawLengths(
  dataset: Extract<DatasetPlan, { source: "synthetic" }>,
  seed: number,
  index: number,
): DrawnLengths {
  const { mixture, range } = dataset.prompts ?? {};
  if (mixture !== undefined) {
    const share = shareOf(mixture, randomStream(seed, "dataset.mixture", index)() * 100);
    const { inputTokens, inputStddev, outputTokens, outputStddev } = share;
    return {
      inputTokens: tokenLength(inputTokens, inputStddev, seed, "dataset.isl", index),
      outputTokens: tokenLength(outputTokens, outputStddev, seed, "dataset.osl", index),
    };
  }
  if (range !== undefined) {
    const random = randomStream(seed, "dataset.range", index);
    const within = ([low, high]: readonly [number, number]) =>
      low + Math.floor(random() * (high - low + 1));
    return { inputTokens: within(range.input), outputTokens: within(range.output) };
  }
  const { inputTokensMean, inputTokensStddev, outputTokensMean, outputTokensStddev } = dataset;
  return {
    inputTokens: tokenLength(inputTokensMean, inputTokensStddev, seed, "dataset.isl", index),
    outputTokens: outputTokensMean === undefined
      ? undefined
      : tokenLength(outputTokensMean, outputTokensStddev, seed, "dataset.osl", index),
  };
}

/** @param drawn percent, from 0 to below 100 */
function shareOf(mixture: readonly LengthShare[], drawn: number): LengthShare {
  let sum = 0;
  for (const share of mixture) {
    sum += share.percent;
    if (drawn < sum) return share;
  }
  // Shares of 0 percent are never drawn, not even where rounding leaves a gap at the end.
  return mixture.findLast(({ percent }) => percent > 0) as LengthShare;
}
