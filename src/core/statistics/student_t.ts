/**
 * Quantiles of Student's t distribution, by its distribution function: the regularized incomplete
 * beta function (continued fraction by Lentz's method, as in Numerical Recipes 6.4).
 */

const MAX_TERMS = 500;
const EPSILON = 1e-15;
const TINY = 1e-300;

/**
 * The value below which a share `p` of the distribution lies.
 * @param p above 0, below 1
 * @param degrees degrees of freedom, at least 1
 */
export function studentTQuantile(p: number, degrees: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`The share must be between 0 and 1: got ${p}`);
  if (!(degrees >= 1)) throw new RangeError(`There must be a degree of freedom: got ${degrees}`);
  if (p < 0.5) return -studentTQuantile(1 - p, degrees);
  if (p === 0.5) return 0;
  let high = 1;
  while (studentTShare(high, degrees) < p && high < 1e300) high *= 2;
  let low = 0;
  // Doubles have 53 bits; the bounds are then neighbours.
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (studentTShare(middle, degrees) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The share of the distribution that lies below `t`. */
export function studentTShare(t: number, degrees: number): number {
  const tail = incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2;
  return t > 0 ? 1 - tail : tail;
}

/** The regularized incomplete beta function. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  );
  return x < (a + 1) / (a + b + 2)
    ? front * betaFraction(x, a, b) / a
    : 1 - front * betaFraction(1 - x, b, a) / b;
}

function betaFraction(x: number, a: number, b: number): number {
  const guarded = (value: number): number => Math.abs(value) < TINY ? TINY : value;
  let c = 1;
  let d = 1 / guarded(1 - (a + b) * x / (a + 1));
  let fraction = d;
  for (let m = 1; m <= MAX_TERMS; m++) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guarded(1 + even * d);
    c = guarded(1 + even / c);
    fraction *= d * c;
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guarded(1 + odd * d);
    c = guarded(1 + odd / c);
    const factor = d * c;
    fraction *= factor;
    if (Math.abs(factor - 1) < EPSILON) break;
  }
  return fraction;
}

/** Lanczos' coefficients for g = 7, n = 9. */
const LANCZOS = [
  0.99999999999980993,
  676.5203681218851,
  -1259.1392167224028,
  771.32342877765313,
  -176.61502916214059,
  12.507343278686905,
  -0.13857109526572012,
  9.9843695780195716e-6,
  1.5056327351493116e-7,
] as const;

function logGamma(z: number): number {
  if (z < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * z)) - logGamma(1 - z);
  const x = z - 1;
  const t = x + 7.5;
  const series = LANCZOS.reduce((sum, value, i) => i === 0 ? value : sum + value / (x + i), 0);
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(series);
}
