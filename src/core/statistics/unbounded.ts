/** Stands for "no upper bound" in files, which have no infinity; never a value to show. */
export const UNBOUNDED = Number.MAX_VALUE;

/** Returns an upper bound for a file: null if there is none. */
export function boundOrNull(bound: number): number | null {
  return bound >= UNBOUNDED ? null : bound;
}

/** Returns an upper bound for computation: infinite if there is none. */
export function upperBound(bound: number): number {
  return bound >= UNBOUNDED ? Infinity : bound;
}
