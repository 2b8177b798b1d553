/** Returns the mean of values, added up in their order; NaN without any. */
export function arithmeticMean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < values.length; at++) sum += values[at] as number;
  return sum / values.length;
}
