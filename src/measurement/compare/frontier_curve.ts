/** The frontier of a side as a curve: the throughput that it has at a speed of each user's stream. */

import { undominated } from "../../core/statistics/undominated.ts";

/** A point of a frontier. */
export interface FrontierPlace {
  /** Output tokens per second and user, pooled. */
  readonly speed: number;
  /** Output tokens per second, per GPU where GPUs are known. */
  readonly rate: number;
}

/** See the module's comment. Places are by ascending speed and descending rate. */
export type FrontierCurve = readonly FrontierPlace[];

/** The curve of the points that no other point beats. */
export function frontierCurve(places: readonly FrontierPlace[]): FrontierCurve {
  const found = undominated(places.map(({ rate, speed }) => ({ gain: rate, other: speed })))
    .map(({ gain, other }) => ({ rate: gain, speed: other }))
    .sort((a, b) => a.speed - b.speed);
  // Equal places are one.
  return found.filter(({ speed }, index) => speed !== found[index - 1]?.speed);
}

/**
 * Returns the throughput at a speed: between two neighbours of the frontier, its logarithm is linear. Below
 * the slowest point it is that point's, because a faster stream also serves a slower user. Beyond
 * the fastest it falls by `slope`, the change of the logarithm for each token per second and user.
 */
export function rateAt(curve: FrontierCurve, speed: number, slope: number): number {
  const [first] = curve;
  const last = curve.at(-1);
  if (first === undefined || last === undefined) return NaN;
  if (speed <= first.speed) return first.rate;
  if (speed >= last.speed) return last.rate * Math.exp(slope * (speed - last.speed));
  const next = curve.findIndex((place) => place.speed >= speed);
  const [from, to] = [curve[next - 1], curve[next]] as [FrontierPlace, FrontierPlace];
  const share = (speed - from.speed) / (to.speed - from.speed);
  return Math.exp(Math.log(from.rate) + share * (Math.log(to.rate) - Math.log(from.rate)));
}

/** Change of the logarithm of the throughput at the fast end of a curve; 0 of a single point. */
export function endSlope(curve: FrontierCurve): number {
  const [before, last] = curve.slice(-2);
  if (before === undefined || last === undefined) return 0;
  return (Math.log(last.rate) - Math.log(before.rate)) / (last.speed - before.speed);
}
