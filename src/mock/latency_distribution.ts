// @ts-types="npm:@types/d3-random@3.0.4"
import {
  randomExponential,
  randomLogNormal,
  randomNormal,
  randomUniform,
} from "npm:d3-random@3.0.2";
import type { RandomStream } from "../core/statistics/random_stream.ts";

/** Draws latencies in milliseconds, never below zero. */
export type LatencyDistribution = (random: RandomStream) => number;

/**
 * Reads the description of a distribution, in milliseconds:
 * `50` (always), `uniform:40:60` (from, to), `normal:50:5` (mean, deviation), `exponential:50`
 * (mean), `lognormal:50:0.5` (median, deviation of the logarithm).
 * @throws {RangeError} if it is none of these
 */
export function latencyDistribution(text: string): LatencyDistribution {
  const [name, ...parameters] = text.includes(":") ? text.split(":") : ["constant", text];
  const [a = NaN, b = NaN] = parameters.map((parameter) =>
    parameter.trim() === "" ? NaN : Number(parameter)
  );
  const wrong = (): never => {
    throw new RangeError(
      `Must be milliseconds or one of uniform:a:b, normal:mean:sd, exponential:mean, ` +
        `lognormal:median:sigma: got "${text}"`,
    );
  };
  const needs = (count: number): void => {
    const isLatency = (value: number): boolean => value >= 0 && value < Infinity;
    if (parameters.length !== count || !isLatency(a) || (count === 2 && !isLatency(b))) wrong();
  };
  switch (name) {
    case "constant":
      needs(1);
      return () => a;
    case "uniform":
      needs(2);
      return (random) => randomUniform.source(random)(a, b)();
    case "normal":
      needs(2);
      return (random) => Math.max(0, randomNormal.source(random)(a, b)());
    case "exponential":
      needs(1);
      return (random) => a === 0 ? 0 : randomExponential.source(random)(1 / a)();
    case "lognormal":
      needs(2);
      return (random) => a === 0 ? 0 : randomLogNormal.source(random)(Math.log(a), b)();
    default:
      return wrong();
  }
}
