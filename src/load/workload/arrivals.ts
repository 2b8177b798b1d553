// @ts-types="npm:@types/d3-random@3.0.4"
import { randomExponential, randomGamma } from "npm:d3-random@3.0.2";
import type { LoadPlan } from "../../config/plan/run_plan.ts";
import { randomStream } from "../../core/statistics/random_stream.ts";
import { createRate } from "./create_rate.ts";

/**
 * The offsets, in nanoseconds from the start of a phase, at which its requests are to be sent.
 *
 * The first interval passes before the first request. The sequence depends on the seed alone:
 * every thread that needs an arrival's time runs the same one. Intervals are of a process of rate 1,
 * whose points are then put where the rate of the phase has asked for as many requests:
 *
 * - `constant`: every 1;
 * - `poisson`: exponential intervals of mean 1;
 * - `gamma`: intervals of shape `smoothness` and scale `1 / smoothness`.
 */
export function* arrivals(
  load: Extract<LoadPlan, { loop: "open" }>,
  seed: number,
  phase: string,
): Generator<number, never> {
  const rate = createRate(load);
  const offsetNs = (count: number): number => Math.round(rate.secondsOf(count) * 1e9);
  if (load.arrivalPattern === "constant") {
    // Multiples, not sums: no rounding error builds up over a long run.
    for (let n = 1;; n++) yield offsetNs(n);
  }
  const random = randomStream(seed, `arrivals.${phase}`);
  const interval = load.arrivalPattern === "poisson"
    ? randomExponential.source(random)(1)
    : randomGamma.source(random)(load.smoothness, 1 / load.smoothness);
  for (let count = 0;;) {
    count += interval();
    yield offsetNs(count);
  }
}
