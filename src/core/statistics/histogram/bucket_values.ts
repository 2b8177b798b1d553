/** One finite bucket and the known moments of its observations. */
export interface FiniteBucket {
  readonly lower: number;
  readonly upper: number;
  /** How many values to make. */
  readonly count: number;
  /** Learned mean; null if unknown. */
  readonly mean: number | null;
  /** Learned variance; null if unknown. */
  readonly variance: number | null;
}

/** Below this share of the bucket's width, four deviations are a peak. */
const PEAK_SPREAD = 0.01;
/** Below this share the two smooth shapes are averaged, if the mean is near the middle. */
const BLENDED_SPREAD = 0.2;
const BLENDED_OFFSET = 0.3;
/** The smooth shape ends this many deviations from the mean. */
const MAX_DEVIATIONS = 3;

/**
 * Fills an array with values, in ascending order, that could be the observations in a bucket.
 *
 * With a learned mean and variance they have these moments as nearly as the bucket allows. If the
 * deviation is tiny compared with the width, they form a peak (the two-point shape of the extreme
 * third moment); else straight lines from the mean to three deviations on either side. Otherwise
 * they are evenly spread over the bucket and moved to `centre`, the learned mean or the middle of
 * the bucket.
 *
 * A bucket without width, as the lowest one has if its bound is not positive, holds its bound, or
 * the learned mean if that is lower: nothing bounds it from below.
 *
 * @param target written from its start
 * @param centre middle of evenly spread values, where something better than the learned mean is
 * known
 */
export function fillBucket(
  target: Float64Array,
  bucket: FiniteBucket,
  centre: number | null,
): void {
  const { lower, upper, count, mean, variance } = bucket;
  const width = upper - lower;
  if (!(width > 0)) {
    target.fill(mean !== null && mean < upper ? mean : upper, 0, count);
    return;
  }
  const known = knownMean(bucket);
  const middle = (lower + upper) / 2;
  if (known === null || variance === null || !(variance >= 0 && variance < Infinity)) {
    fillEvenly(target, bucket, centre ?? known ?? middle);
    return;
  }
  const deviation = Math.sqrt(variance);
  const spread = 4 * deviation / width;
  if (spread < PEAK_SPREAD) {
    fillPeak(target, bucket, known, variance);
    return;
  }
  const below = Math.min((known - lower) / deviation, MAX_DEVIATIONS) * deviation;
  const above = Math.min((upper - known) / deviation, MAX_DEVIATIONS) * deviation;
  const blended = spread < BLENDED_SPREAD && Math.abs(known - middle) / width < BLENDED_OFFSET;
  for (let i = 0; i < count; i++) {
    const share = (i + 0.5) / count;
    const bent = clamp(
      share < 0.5 ? known - below * (1 - 2 * share) : known + above * (2 * share - 1),
      lower,
      upper,
    );
    if (!blended) {
      target[i] = bent;
      continue;
    }
    const even = clamp(lower + width * share + (known - middle), lower, upper);
    target[i] = clamp((even + bent) / 2, lower, upper);
  }
}

/** The learned mean if it lies inside the bucket. */
export function knownMean({ lower, upper, mean }: FiniteBucket): number | null {
  return mean !== null && mean > lower && mean < upper ? mean : null;
}

/** Limits a value to a range. */
export function clamp(value: number, lower: number, upper: number): number {
  return value < lower ? lower : value > upper ? upper : value;
}

function fillEvenly(target: Float64Array, bucket: FiniteBucket, centre: number): void {
  const { lower, upper, count } = bucket;
  const width = upper - lower;
  const shift = centre - (lower + upper) / 2;
  for (let i = 0; i < count; i++) {
    target[i] = clamp(lower + width * ((i + 0.5) / count) + shift, lower, upper);
  }
}

function fillPeak(
  target: Float64Array,
  { lower, upper, count }: FiniteBucket,
  mean: number,
  variance: number,
): void {
  const above = mean - lower;
  const peak = clamp(mean + variance / above, lower, upper);
  const atLower = Math.trunc(count * clamp(variance / (variance + above ** 2), 0, 1));
  target.fill(lower, 0, atLower);
  target.fill(peak, atLower, count);
}
