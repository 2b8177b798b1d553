// @ts-types="npm:@types/d3-random@3.0.4"
import { randomExponential, randomGamma } from "npm:d3-random@3.0.2";
import type { LoadPlan } from "../../config/plan/run_plan.ts";
import { randomStream } from "../../core/statistics/random_stream.ts";
import { createRate } from "./create_rate.ts";

/**
 * Yields the intended send times of a phase's requests, in nanoseconds from the start of the phase.
 *
 * The first interval passes before the first request. The sequence depends only on the seed: every
 * thread that needs an arrival's time runs the same one. Intervals are of a process of rate 1,
 * whose points are then mapped to the times at which the rate of the phase has requested as many
 * requests:
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
