// @ts-types="npm:@types/d3-random@3.0.4"
import { randomExponential, randomGamma } from "npm:d3-random@3.0.2";
import type { LoadPlan } from "../plan/run_plan.ts";
import { randomStream } from "../statistics/random_stream.ts";

/**
 * The offsets, in nanoseconds from the start of a phase, at which its requests are to be sent.
 *
 * The first interval passes before the first request. The sequence depends on the seed alone:
 * every thread that needs an arrival's time runs the same one.
 *
 * - `constant`: every `1 / rate`;
 * - `poisson`: exponential intervals of mean `1 / rate`;
 * - `gamma`: intervals of shape `smoothness` and scale `1 / (rate * smoothness)`.
 */
export function* arrivals(
  load: Extract<LoadPlan, { loop: "open" }>,
  seed: number,
  phase: string,
): Generator<number, never> {
  const meanNs = 1e9 / load.ratePerSecond;
  if (load.arrivalPattern === "constant") {
    // Multiples, not sums: no rounding error builds up over a long run.
    for (let n = 1;; n++) yield Math.round(n * meanNs);
  }
  const random = randomStream(seed, `arrivals.${phase}`);
  const interval = load.arrivalPattern === "poisson"
    ? randomExponential.source(random)(1)
    : randomGamma.source(random)(load.smoothness, 1 / load.smoothness);
  for (let offset = 0;;) {
    offset += interval() * meanNs;
    yield Math.round(offset);
  }
}
