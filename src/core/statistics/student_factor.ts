/**
 * The quantile of Student's distribution that is as far out as a quantile of the normal one: what a
 * standard error that was itself estimated has to be multiplied by.
 *
 * Exact for 1, 2 and 4 degrees of freedom; from there on by the expansion of Cornish and Fisher, and
 * in between by interpolation over the inverse of the degrees.
 * @param z quantile of the normal distribution
 * @param freedom degrees of freedom, at least 1; Infinity leaves the quantile as it is
 */
export function studentFactor(z: number, freedom: number): number {
  if (freedom >= 4) return expansion(z, freedom);
  const outside = 2 * upperTail(z);
  const knots = [
    [1, 1 / Math.tan(Math.PI * outside / 2)],
    [2, (1 - outside) * Math.sqrt(2 / (outside * (2 - outside)))],
    [4, ofFour(outside)],
  ] as const;
  const [[lower, from], [upper, to]] = freedom < 2 ? [knots[0], knots[1]] : [knots[1], knots[2]];
  const share = (1 / Math.max(1, freedom) - 1 / lower) / (1 / upper - 1 / lower);
  return Math.exp(Math.log(from) + share * (Math.log(to) - Math.log(from)));
}

function expansion(z: number, freedom: number): number {
  return z +
    (z ** 3 + z) / (4 * freedom) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * freedom ** 3);
}

/** @param outside probability of being further out on either side */
function ofFour(outside: number): number {
  const alpha = outside * (2 - outside);
  const root = Math.sqrt(alpha);
  return 2 * Math.sqrt(Math.cos(Math.acos(root) / 3) / root - 1);
}

/** Probability that a normal variable exceeds `z`, to seven digits (Abramowitz and Stegun, 26.2.17). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series = ((((1.330274429 * t - 1.821255978) * t + 1.781477937) * t - 0.356563782) * t +
    0.31938153) * t;
  return Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI) * series;
}
