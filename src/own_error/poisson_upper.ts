/**
 * The smallest number that a Poisson variable of this mean exceeds in less than 2.5 % of all cases.
 * @param mean not negative
 */
export function poissonUpper(mean: number): number {
  // Far from zero the distribution is a normal one.
  if (mean > 400) return Math.ceil(mean + 1.96 * Math.sqrt(mean) + 1);
  let term = Math.exp(-mean);
  let cumulative = term;
  let count = 0;
  while (cumulative < 0.975) {
    count++;
    term *= mean / count;
    cumulative += term;
  }
  return count;
}
