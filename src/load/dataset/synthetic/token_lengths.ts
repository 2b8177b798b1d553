// @ts-types="npm:@types/d3-random@3.0.4"
import { randomNormal } from "npm:d3-random@3.0.2";
import { MAX_PROMPT_TOKENS } from "../../../config/plan/max_prompt_tokens.ts";
import { randomStream } from "../../../core/statistics/random_stream.ts";

/**
 * Draws the length in tokens of one prompt or output: normally distributed, rounded up, from 1 to
 * ten million; the rounded mean if there is no deviation. The length depends only on seed and
 * index.
 */
export function tokenLength(
  mean: number,
  stddev: number,
  seed: number,
  name: string,
  index: number,
): number {
  if (stddev === 0) return Math.max(1, Math.round(mean));
  const drawn = randomNormal.source(randomStream(seed, name, index))(mean, stddev)();
  return Math.min(MAX_PROMPT_TOKENS, Math.max(1, Math.ceil(drawn)));
}
