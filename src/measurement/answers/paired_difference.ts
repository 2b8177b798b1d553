/** Quantile of the normal distribution that 2.5 % of it exceed. */
const Z = 1.959963984540054;

/** Pairs by whether each of both properties holds. */
export interface PairCounts {
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
}

/** 95 % confidence interval of a share by Wilson's score; from 0 to 1 without any observation. */
export function wilsonInterval(hits: number, count: number): [lower: number, upper: number] {
  if (count === 0) return [0, 1];
  const share = hits / count;
  const center = share + Z ** 2 / (2 * count);
  const half = Z * Math.sqrt(share * (1 - share) / count + Z ** 2 / (4 * count ** 2));
  const divisor = 1 + Z ** 2 / count;
  return [
    hits === 0 ? 0 : (center - half) / divisor,
    hits === count ? 1 : (center + half) / divisor,
  ];
}

/**
 * 95 % confidence interval of the difference of two shares of the same pairs, the first one minus the
 * second.
 *
 * Method 10 of R. G. Newcombe, "Improved confidence intervals for the difference between binomial
 * proportions based on paired data", Statistics in Medicine 17 (1998), 2635-2650.
 */
export function pairedDifference(
  { both: a, onlyFirst: b, onlySecond: c, neither: d }: PairCounts,
): { readonly difference: number; readonly lower: number; readonly upper: number } {
  const n = a + b + c + d;
  if (n === 0) return { difference: NaN, lower: -1, upper: 1 };
  const [first, second] = [(a + b) / n, (a + c) / n];
  const [lower1, upper1] = wilsonInterval(a + b, n);
  const [lower2, upper2] = wilsonInterval(a + c, n);
  const phi = correlation(a, b, c, d, n);
  const half = (x: number, y: number): number =>
    Math.sqrt(Math.max(0, x ** 2 - 2 * phi * x * y + y ** 2));
  const difference = first - second;
  return {
    difference,
    lower: difference - half(first - lower1, upper2 - second),
    upper: difference + half(upper1 - first, second - lower2),
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
