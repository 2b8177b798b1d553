// @ts-types="npm:@types/d3-random@3.0.4"
import { randomNormal } from "npm:d3-random@3.0.2";
import { randomStream } from "../statistics/random_stream.ts";

/**
 * The length in tokens of one prompt or output: normally distributed, rounded up, at least 1;
 * the rounded mean where there is no deviation. It depends on the seed and the index alone.
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
  return Math.max(1, Math.ceil(drawn));
}
