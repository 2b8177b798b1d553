/** Stands for "no upper bound" in files, which have no infinity; never a figure to show. */
export const UNBOUNDED = Number.MAX_VALUE;

/** An upper bound as it is to be reckoned with: infinite where there is none. */
export function upperBound(bound: number): number {
  return bound >= UNBOUNDED ? Infinity : bound;
}
