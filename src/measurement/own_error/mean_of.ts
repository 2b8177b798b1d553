/** In order, so that it does not depend on the order in which requests were recorded. Sorts the values. */
export function meanOf(values: Float64Array): number {
  return values.sort().reduce((sum, value) => sum + value, 0) / values.length;
}
