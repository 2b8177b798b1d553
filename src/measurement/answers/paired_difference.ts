import { NORMAL_95 } from "../../core/statistics/normal_95.ts";

/** Pairs by whether each of both properties holds. */
export interface PairCounts {
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
}

/** An estimate with its confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/** A difference with its confidence interval. */
export interface EstimatedDifference {
  readonly difference: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * Confidence interval of a share by Wilson's score; from 0 to 1 without any observation.
 * @param z normal quantile of the interval, by default that of 95 %
 */
export function wilsonInterval(
  hits: number,
  count: number,
  z = NORMAL_95,
): [lower: number, upper: number] {
  if (count === 0) return [0, 1];
  const share = hits / count;
  const center = share + z ** 2 / (2 * count);
  const half = z * Math.sqrt(share * (1 - share) / count + z ** 2 / (4 * count ** 2));
  const divisor = 1 + z ** 2 / count;
  return [
    hits === 0 ? 0 : (center - half) / divisor,
    hits === count ? 1 : (center + half) / divisor,
  ];
}

/**
 * Confidence interval of the difference of two shares of the same pairs, the first one minus the
 * second.
 *
 * Method 10 of R. G. Newcombe, "Improved confidence intervals for the difference between binomial
 * proportions based on paired data", Statistics in Medicine 17 (1998), 2635-2650.
 * @param z normal quantile of the interval, by default that of 95 %
 */
export function pairedDifference(
  { both: a, onlyFirst: b, onlySecond: c, neither: d }: PairCounts,
  z = NORMAL_95,
): EstimatedDifference {
  const n = a + b + c + d;
  if (n === 0) return { difference: NaN, lower: -1, upper: 1 };
  return estimatedDifference(
    shareEstimate(a + b, n, z),
    shareEstimate(a + c, n, z),
    correlation(a, b, c, d, n),
  );
}

/** A share with Wilson's interval; see {@linkcode wilsonInterval}. */
export function shareEstimate(hits: number, count: number, z = NORMAL_95): Estimate {
  const [lower, upper] = wilsonInterval(hits, count, z);
  return { value: hits / count, lower, upper };
}

/**
 * The first estimate minus the second, with an interval from the intervals of both. Of two independent
 * shares with Wilson's intervals it is method 10 of R. G. Newcombe, "Interval estimation for the
 * difference between independent proportions", Statistics in Medicine 17 (1998), 873-890.
 * @param phi correlation of both estimates, 0 for independent ones
 */
export function estimatedDifference(
  first: Estimate,
  second: Estimate,
  phi = 0,
): EstimatedDifference {
  const half = (x: number, y: number): number =>
    Math.sqrt(Math.max(0, x ** 2 - 2 * phi * x * y + y ** 2));
  const difference = first.value - second.value;
  return {
    difference,
    lower: difference - half(first.value - first.lower, second.upper - second.value),
    upper: difference + half(first.upper - first.value, second.value - second.lower),
  };
}

/** Correlation of the pairs with Newcombe's correction for continuity. */
function correlation(a: number, b: number, c: number, d: number, n: number): number {
  const product = (a + b) * (c + d) * (a + c) * (b + d);
  if (product === 0) return 0;
  const excess = a * d - b * c;
  const corrected = excess > n / 2 ? excess - n / 2 : excess >= 0 ? 0 : excess;
  return corrected / Math.sqrt(product);
}
