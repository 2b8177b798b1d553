// @ts-types="npm:@types/d3-random@3.0.4"
import { randomNormal } from "npm:d3-random@3.0.2";
import { randomStream } from "../../statistics/random_stream.ts";

/** Longer than any context; a wide deviation draws such lengths. */
const MAX_TOKENS = 10_000_000;

/**
 * The length in tokens of one prompt or output: normally distributed, rounded up, from 1 to
 * ten million; the rounded mean where there is no deviation. It depends on seed and index alone.
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
  return Math.min(MAX_TOKENS, Math.max(1, Math.ceil(drawn)));
}
