import type { BucketModel } from "./bucket_model.ts";
import type { HistogramIntervals } from "./histogram_intervals.ts";

/** How the sums of the intervals compare with a model, by interval. */
export interface SumResiduals {
  /** Sum less what the model lets expect; 0 where the sum is unknown. */
  readonly residuals: Float64Array;
  /** Variance of the sum, given how many observations fell into which bucket. */
  readonly variances: Float64Array;
}

/** Compares the sums of the intervals with what a model lets expect. */
export function sumResiduals(
  { buckets, sums, roundings }: HistogramIntervals,
  { designEffect, means, variances: ofOne }: Omit<BucketModel, "density">,
): SumResiduals {
  const residuals = Float64Array.from(sums);
  const variances = roundings.map((rounding) => rounding * rounding + Number.MIN_VALUE);
  buckets.forEach(({ intervals, counts }, bucket) => {
    const [bucketMeans, bucketVariances] = [means[bucket], ofOne[bucket]];
    if (bucketMeans === undefined || bucketVariances === undefined) return;
    for (let j = 0; j < intervals.length; j++) {
      const i = intervals[j] as number;
      const count = counts[j] as number;
      residuals[i] = (residuals[i] as number) - count * (bucketMeans[j] as number);
      variances[i] = (variances[i] as number) +
        count * Math.min(count, designEffect) * (bucketVariances[j] as number);
    }
  });
  for (let i = 0; i < residuals.length; i++) {
    if (!Number.isNaN(residuals[i])) continue;
    // An unknown sum says nothing: infinitely uncertain.
    residuals[i] = 0;
    variances[i] = Infinity;
  }
  return { residuals, variances };
}
