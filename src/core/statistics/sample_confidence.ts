import { arithmeticMean } from "./arithmetic_mean.ts";
import { studentTQuantile } from "./student_t.ts";

/** Statistics of the mean of several values of one quantity. */
export interface SampleConfidence {
  readonly mean: number;
  /** With n - 1. */
  readonly std: number;
  readonly min: number;
  readonly max: number;
  /** Standard deviation by mean; Infinity where the mean is 0 and the values are not. */
  readonly cv: number;
  /** Standard error of the mean. */
  readonly se: number;
  /** Student's t interval of the mean. */
  readonly ciLow: number;
  readonly ciHigh: number;
  /** Critical value of Student's t; NaN for one value, for which no confidence interval exists. */
  readonly tCritical: number;
}

/**
 * Statistics of a sample; of one value, that value without spread.
 * @param values at least one, finite
 * @param level of the interval, such as 0.95
 */
export function sampleConfidence(values: readonly number[], level: number): SampleConfidence {
  const count = values.length;
  if (count === 0) throw new RangeError("There is no value");
  const mean = arithmeticMean(values);
  const min = Math.min(...values);
  const max = Math.max(...values);
  if (count === 1) {
    const none = { std: 0, cv: 0, se: 0, tCritical: NaN };
    return { mean, min, max, ciLow: mean, ciHigh: mean, ...none };
  }
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const std = Math.sqrt(squares / (count - 1));
  const se = std / Math.sqrt(count);
  const tCritical = studentTQuantile((1 + level) / 2, count - 1);
  const margin = tCritical * se;
  return {
    mean,
    std,
    min,
    max,
    cv: mean === 0 ? (std === 0 ? 0 : Infinity) : std / Math.abs(mean),
    se,
    ciLow: mean - margin,
    ciHigh: mean + margin,
    tCritical,
  };
}
