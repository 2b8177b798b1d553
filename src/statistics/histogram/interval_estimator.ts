import { CELLS, tiltDensity } from "./bucket_density.ts";
import { type BucketPrior, bucketPriors } from "./bucket_prior.ts";
import { type BucketFit, fitBucketMoments } from "./fit_bucket_moments.ts";
import type { HistogramEstimator } from "./histogram_estimator.ts";
import { INTERPOLATION_ESTIMATOR } from "./interpolation_estimator.ts";
import { histogramIntervals, type IntervalBucket } from "./histogram_intervals.ts";
import { WeightedValues } from "./weighted_values.ts";

/** Observations that deviate by less than this share of their bucket's width are known. */
const KNOWN_DEVIATION = 0.01;
/** Below this share their distribution is normal: the ends of the bucket do not matter. */
const NORMAL_DEVIATION = 0.06;
/** Middles of the eighths of the standard normal distribution. */
const NORMAL_EIGHTHS = [-1.5341, -0.8871, -0.4888, -0.1573, 0.1573, 0.4888, 0.8871, 1.5341];
/** Classes of mean and deviation whose observations share a density. */
const MEAN_CLASSES = 24;
const DEVIATION_CLASSES = 50;
/** Values that stand for the observations beyond the last bound in one interval. */
const MIN_TAIL_VALUES = 8;
const MAX_TAIL_VALUES = 64;
/** Variance over squared mean excess, below which a tail is normal. */
const NORMAL_TAIL = 0.3;

/**
 * Uses the sum of every interval between two scrapes, not only of those that saw one bucket.
 *
 * 1. The numbers of observations in neighbouring buckets give a first density inside each.
 * 2. Means and variances inside the buckets are fitted to the sums of all intervals.
 * 3. Each interval's own sum then corrects the means of its observations, in proportion to their
 *    variances; what is left of the variance is what is not known. One observation alone in an
 *    interval is known exactly, an outlier among small ones nearly so.
 * 4. The observations of a bucket are spread with the density nearest to the first one that has
 *    these means and variances; beyond the last bound with a generalised Pareto distribution.
 *
 * The work grows with the number of samples times the number of buckets.
 */
export const INTERVAL_ESTIMATOR: HistogramEstimator = {
  name: "interval",
  description: "moments per bucket fitted to the sums of all scrape intervals",
  estimate(window, percentiles) {
    const data = histogramIntervals(window);
    if (!(data.count > 0) || !data.buckets.some(({ upper }) => Number.isFinite(upper))) return null;
    const priors = bucketPriors(data);
    const fit = fitBucketMoments(data, priors);
    const values = new WeightedValues();
    data.buckets.forEach((bucket, i) => {
      if (bucket.total === 0) return;
      const groups = groupsOf(bucket, i, fit);
      const { density } = priors[i] as BucketPrior;
      if (density === null) spreadTail(values, bucket, groups);
      else spreadInside(values, bucket, groups, density);
    });
    const estimate = values.percentiles(percentiles);
    // Squares of values beyond 1e150 are no numbers any more.
    return estimate.every(Number.isFinite)
      ? estimate
      : INTERPOLATION_ESTIMATOR.estimate(window, percentiles);
  },
};

/** Observations of one interval in one bucket. */
interface Group {
  readonly count: number;
  readonly mean: number;
  /** Standard deviation of each around the mean. */
  readonly deviation: number;
}

/** What is known of a bucket's observations in each interval, given the interval's sum. */
function* groupsOf(bucket: IntervalBucket, index: number, fit: BucketFit): Generator<Group> {
  const { lower, upper, intervals, counts } = bucket;
  const mean = fit.means[index] as number;
  const variance = fit.variances[index] as number;
  const deviation = Math.sqrt(variance);
  for (let j = 0; j < intervals.length; j++) {
    const interval = intervals[j] as number;
    const count = counts[j] as number;
    // One observation's part in the uncertainty of the sum is its part in the correction. It moves
    // together with those of its batch.
    const alike = Math.min(count, fit.designEffect);
    const share = variance * alike / (fit.sumVariances[interval] as number);
    const shifted = mean + deviation * (fit.drifts[interval] as number) +
      share * (fit.residuals[interval] as number);
    yield {
      count,
      mean: Math.min(upper, Math.max(lower, shifted)),
      deviation: Math.sqrt(Math.max(0, variance * (1 - share * alike))),
    };
  }
}

function spreadInside(
  values: WeightedValues,
  { lower, upper }: IntervalBucket,
  groups: Iterable<Group>,
  prior: Float64Array,
): void {
  const width = upper - lower;
  const classes = new Map<number, { count: number; mean: number; variance: number }>();
  for (const group of groups) {
    const { count, mean, deviation } = group;
    if (deviation < KNOWN_DEVIATION * width) values.addEqual(mean, count);
    else if (deviation < NORMAL_DEVIATION * width) spreadNormally(values, group, lower, upper);
    else {
      const meanClass = Math.floor((mean - lower) / width * MEAN_CLASSES);
      const key = meanClass * DEVIATION_CLASSES +
        Math.min(DEVIATION_CLASSES - 1, Math.floor(deviation / width * DEVIATION_CLASSES));
      let sums = classes.get(key);
      if (sums === undefined) classes.set(key, sums = { count: 0, mean: 0, variance: 0 });
      sums.count += count;
      sums.mean += count * mean;
      sums.variance += count * deviation * deviation;
    }
  }
  const cells = new Float64Array(CELLS);
  for (const { count, mean, variance } of classes.values()) {
    const density = tiltDensity(
      prior,
      (mean / count - lower) / width,
      variance / count / width / width,
    );
    for (let cell = 0; cell < CELLS; cell++) {
      cells[cell] = (cells[cell] as number) + count * (density[cell] as number);
    }
  }
  let start = lower;
  cells.forEach((count, cell) => {
    const end = cell + 1 === CELLS ? upper : lower + width * ((cell + 1) / CELLS);
    values.addRange(start, end, count);
    start = end;
  });
}

function spreadNormally(
  values: WeightedValues,
  { count, mean, deviation }: Group,
  lower: number,
  upper: number,
): void {
  for (const eighth of NORMAL_EIGHTHS) {
    const value = Math.min(upper, Math.max(lower, mean + eighth * deviation));
    values.addEqual(value, count / NORMAL_EIGHTHS.length);
  }
}

function spreadTail(
  values: WeightedValues,
  { lower, upper }: IntervalBucket,
  groups: Iterable<Group>,
): void {
  const upwards = upper === Infinity;
  const bound = upwards ? lower : upper;
  for (const group of groups) {
    const { count, mean, deviation } = group;
    const excess = Math.abs(mean - bound);
    const spread = (deviation / excess) ** 2;
    if (!(deviation > KNOWN_DEVIATION * excess)) values.addEqual(mean, count);
    else if (spread < NORMAL_TAIL) spreadNormally(values, group, lower, upper);
    else {
      // Generalised Pareto with these moments: exponential at 1, heavier above, bounded below.
      const shape = Math.min(0.49, (1 - 1 / spread) / 2);
      const scale = excess * (1 - shape);
      const length = Math.min(MAX_TAIL_VALUES, Math.max(MIN_TAIL_VALUES, Math.ceil(count)));
      for (let i = 0; i < length; i++) {
        const above = 1 - (i + 0.5) / length;
        const value = Math.abs(shape) < 1e-6
          ? -scale * Math.log(above)
          : scale / shape * (above ** -shape - 1);
        values.addEqual(bound + (upwards ? value : -value), count / length);
      }
    }
  }
}
