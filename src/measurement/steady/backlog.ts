import { studentFactor } from "../../core/statistics/student_factor.ts";
import { dependenceOf } from "../../core/statistics/dependence.ts";

/** Times at which the backlog is looked at. */
const SAMPLES = 200;
/** Quantile of the normal distribution of a one-sided 95 % bound. */
const ONE_SIDED_Z = 1.6448536269514722;

/** Growth of the number of requests that have arrived and not ended. */
export interface BacklogSlope {
  /** Requests that the backlog grows by in a second. */
  readonly perSecond: number;
  /** Lower 95 % bound of that; NaN if it is not known. */
  readonly lower: number;
}

/**
 * Slope of the backlog over a window: by least squares over equally spaced times, with a bound that takes
 * the dependence of neighbouring times into account (a queue near its capacity wanders for long).
 * @param arrivalsNs arrivals, and `endsNs` the ends of the requests, in any order; NaN for never
 */
export function backlogSlope(
  window: { readonly startNs: number; readonly endNs: number },
  arrivalsNs: Float64Array,
  endsNs: Float64Array,
): BacklogSlope {
  const { endNs, startNs } = window;
  const changes = new Float64Array(SAMPLES);
  const stepNs = (endNs - startNs) / (SAMPLES - 1);
  const count = (times: Float64Array, change: number): void => {
    for (const time of times) {
      const sample = Math.max(0, Math.ceil((time - startNs) / stepNs));
      if (sample < SAMPLES) changes[sample] = (changes[sample] as number) + change;
    }
  };
  count(arrivalsNs, 1);
  count(endsNs, -1);
  let level = 0;
  const levels = changes.map((change) => level += change);
  const middle = (SAMPLES - 1) / 2;
  const mean = levels.reduce((sum, value) => sum + value, 0) / SAMPLES;
  let [products, squares] = [0, 0];
  levels.forEach((value, at) => {
    products += (at - middle) * (value - mean);
    squares += (at - middle) ** 2;
  });
  const slope = products / squares;
  const residues = levels.map((value, at) => value - mean - slope * (at - middle));
  const variance = residues.reduce((sum, value) => sum + value * value, 0) / (SAMPLES - 2);
  const { factor, freedom } = dependenceOf([residues], SAMPLES, 1);
  const error = Math.sqrt(variance / squares * factor) * studentFactor(ONE_SIDED_Z, freedom);
  const perSecond = 1e9 / stepNs;
  return { perSecond: slope * perSecond, lower: (slope - error) * perSecond };
}
