import { CELLS } from "./bucket_density.ts";
import type { BucketModel } from "./bucket_model.ts";
import { type GivenSum, givenSum, weighByGuess } from "./given_sum.ts";
import type { HistogramIntervals, IntervalBucket } from "./histogram_intervals.ts";
import { normalQuantiles } from "./normal_quantiles.ts";
import { sumResiduals } from "./sum_residuals.ts";
import { WeightedValues } from "./weighted_values.ts";

/** Observations that deviate by less than this share of their bucket's width are known. */
const KNOWN_DEVIATION = 0.01;
/** Below this share their distribution is normal: the ends of the bucket do not matter. */
const NORMAL_DEVIATION = 0.06;
/** Deviations between the mean and the end of a bucket from zero that leave it out of reach. */
const FREE_DEVIATIONS = 2.5;
/** Beyond this vagueness a sum moves observations and leaves their shape. */
const MAX_VAGUENESS = 8;
/** Ratio of deviation to mean above which adding 1 to its square does not matter. */
const LARGEST_RATIO = 1e10;
/** Values that stand for the observations of a bucket in one interval, the more the fewer there are. */
const MIN_VALUES = 8;
const MAX_VALUES = 64;
const BUCKET_VALUES = 512;
/** Variance over squared mean excess, below which a tail is normal. */
const NORMAL_TAIL = 0.3;

/** Puts every observation where the model and the sum of its interval have it. */
export function spreadObservations(data: HistogramIntervals, model: BucketModel): WeightedValues {
  const { residuals, variances: sumVariances } = sumResiduals(data, model);
  const values = new WeightedValues();
  const cells = new Float64Array(CELLS);
  data.buckets.forEach((bucket, b) => {
    const { intervals, counts, total } = bucket;
    const [means, variances] = [model.means[b], model.variances[b]];
    if (total === 0 || means === undefined || variances === undefined) return;
    const isClosed = Number.isFinite(bucket.upper - bucket.lower);
    const length = Math.ceil(BUCKET_VALUES / intervals.length);
    const deviates = normalQuantiles(Math.max(MIN_VALUES, Math.min(MAX_VALUES, length)));
    cells.fill(0);
    for (let j = 0; j < intervals.length; j++) {
      const i = intervals[j] as number;
      const mean = means[j] as number;
      const given = givenSum(
        counts[j] as number,
        mean,
        variances[j] as number,
        residuals[i] as number,
        sumVariances[i] as number,
        model.designEffect,
      );
      if (!isClosed) spreadTail(values, bucket, given, deviates);
      else if (!spreadNarrowly(values, bucket, given, deviates)) {
        spreadWidely(cells, bucket, given, mean, model.density(b, j));
      }
    }
    if (isClosed) addCells(values, bucket, cells);
  });
  return values;
}

function addCells(
  values: WeightedValues,
  { lower, upper }: IntervalBucket,
  cells: Float64Array,
): void {
  let start = lower;
  cells.forEach((count, cell) => {
    const end = cell + 1 === CELLS ? upper : lower + (upper - lower) * ((cell + 1) / CELLS);
    values.addRange(start, end, count);
    start = end;
  });
}

/** Adds observations whose shape the bucket does not matter to; false if it does. */
function spreadNarrowly(
  values: WeightedValues,
  bucket: IntervalBucket,
  { count, mean, deviation, vagueness }: GivenSum,
  deviates: Float64Array,
): boolean {
  const { lower, upper } = bucket;
  const width = upper - lower;
  // In a bucket from zero a small value is not as vague as the bucket is wide.
  const isFromZero = lower === 0 && mean > 0;
  const isFree = isFromZero && mean + FREE_DEVIATIONS * deviation < upper;
  if (deviation < KNOWN_DEVIATION * (isFree ? mean : width)) {
    values.addEqual(Math.min(upper, Math.max(lower, mean)), count);
  } else if (isFree && !(vagueness < MAX_VAGUENESS && deviation > NORMAL_DEVIATION * width)) {
    addLogNormal(values, count, mean, deviation, upper, deviates);
  } else if (deviation < NORMAL_DEVIATION * width) {
    addNormal(values, bucket, count, mean, deviation, deviates);
  } else return false;
  return true;
}

function addNormal(
  values: WeightedValues,
  { lower, upper }: IntervalBucket,
  count: number,
  mean: number,
  deviation: number,
  deviates: Float64Array,
): void {
  for (const deviate of deviates) {
    const value = Math.min(upper, Math.max(lower, mean + deviate * deviation));
    values.addEqual(value, count / deviates.length);
  }
}

function addLogNormal(
  values: WeightedValues,
  count: number,
  mean: number,
  deviation: number,
  upper: number,
  deviates: Float64Array,
): void {
  const ratio = deviation / mean;
  // Next to a mean of almost nothing the ratio is too large for a square.
  const variance = ratio < LARGEST_RATIO ? Math.log1p(ratio ** 2) : 2 * Math.log(ratio);
  const [middle, width] = [mean * Math.exp(-variance / 2), Math.sqrt(variance)];
  for (const deviate of deviates) {
    values.addEqual(Math.min(upper, middle * Math.exp(deviate * width)), count / deviates.length);
  }
}

const weights = new Float64Array(CELLS);

function spreadWidely(
  cells: Float64Array,
  { lower, upper }: IntervalBucket,
  { count, mean, guess, guessVariance, vagueness }: GivenSum,
  meanBefore: number,
  density: Float64Array,
): void {
  const width = upper - lower;
  if (vagueness < MAX_VAGUENESS) {
    weighByGuess(density, (guess - lower) / width, guessVariance / width / width, weights);
    for (let cell = 0; cell < CELLS; cell++) {
      cells[cell] = (cells[cell] as number) + count * (weights[cell] as number);
    }
    return;
  }
  // The density is moved to the mean, and narrowed by what the sum says.
  const middle = (meanBefore - lower) / width * CELLS;
  const shift = (Math.min(upper, Math.max(lower, mean)) - meanBefore) / width * CELLS;
  const narrowing = Math.sqrt(1 - 1 / (1 + vagueness));
  for (let cell = 0; cell < CELLS; cell++) {
    const to = middle + shift + (cell + 0.5 - middle) * narrowing - 0.5;
    const place = Math.min(CELLS - 1, Math.max(0, to));
    const first = Math.floor(place);
    const moved = count * (density[cell] as number);
    const part = moved * (place - first);
    cells[first] = (cells[first] as number) + moved - part;
    if (part > 0) cells[first + 1] = (cells[first + 1] as number) + part;
  }
}

function spreadTail(
  values: WeightedValues,
  bucket: IntervalBucket,
  given: GivenSum,
  deviates: Float64Array,
): void {
  const { lower, upper } = bucket;
  const { count, deviation } = given;
  const mean = Math.min(upper, Math.max(lower, given.mean));
  const upwards = upper === Infinity;
  const bound = upwards ? lower : upper;
  const excess = Math.abs(mean - bound);
  const spread = (deviation / excess) ** 2;
  if (!(deviation > KNOWN_DEVIATION * excess)) values.addEqual(mean, count);
  else if (spread < NORMAL_TAIL) addNormal(values, bucket, count, mean, deviation, deviates);
  else {
    // Generalised Pareto with these moments: exponential at 1, heavier above, bounded below.
    const shape = Math.min(0.49, (1 - 1 / spread) / 2);
    const scale = excess * (1 - shape);
    const length = Math.min(MAX_VALUES, Math.max(MIN_VALUES, Math.ceil(count)));
    for (let i = 0; i < length; i++) {
      const above = 1 - (i + 0.5) / length;
      const value = Math.abs(shape) < 1e-6
        ? -scale * Math.log(above)
        : scale / shape * (above ** -shape - 1);
      values.addEqual(bound + (upwards ? value : -value), count / length);
    }
  }
}
