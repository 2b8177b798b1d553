/**
 * The two-sample Kolmogorov-Smirnov test: the probability that samples of one distribution differ as
 * much as these. Asymptotic, with Stephens' correction for small samples (Numerical Recipes 14.3).
 */
export function kolmogorovSmirnov(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 || b.length === 0) throw new RangeError("Both samples need values");
  const [left, right] = [Float64Array.from(a).sort(), Float64Array.from(b).sort()];
  let [i, j, distance] = [0, 0, 0];
  while (i < left.length && j < right.length) {
    const value = Math.min(left[i] as number, right[j] as number);
    while (i < left.length && (left[i] as number) <= value) i++;
    while (j < right.length && (right[j] as number) <= value) j++;
    distance = Math.max(distance, Math.abs(i / left.length - j / right.length));
  }
  const size = Math.sqrt(left.length * right.length / (left.length + right.length));
  return probability((size + 0.12 + 0.11 / size) * distance);
}

/** Kolmogorov's distribution. */
function probability(lambda: number): number {
  // Below, the series needs more terms than it is worth: the sum is 1 to six digits.
  if (lambda < 0.3) return 1;
  let sum = 0;
  for (let k = 1; k <= 100; k++) {
    const term = Math.exp(-2 * k * k * lambda * lambda);
    sum += (k % 2 === 1 ? 2 : -2) * term;
    if (term < 1e-12) break;
  }
  return Math.min(1, Math.max(0, sum));
}
