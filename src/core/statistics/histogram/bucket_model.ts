import type { CellDensity } from "./bucket_density.ts";

/**
 * Estimates of the observations in each bucket and interval before the interval's own sum is used.
 * Arrays are indexed by bucket, then by position in the bucket's `intervals`.
 */
export interface BucketModel {
  /** Observations that come together with one value. */
  readonly designEffect: number;
  readonly means: readonly Float64Array[];
  /** Variance of one observation. */
  readonly variances: readonly Float64Array[];
  /**
   * Density inside a closed bucket in one interval. It is valid until the next call.
   * @param position in the bucket's `intervals`
   */
  density(bucket: number, position: number): CellDensity;
}
