import { CompensatedSum } from "./compensated_sum.ts";
import { sortNumbers } from "./sort_numbers.ts";

/**
 * Sum of values in ascending order, so that it does not depend on the order of the records.
 * @param values are sorted in place; none may be NaN
 */
export function orderedSum(values: Float64Array<ArrayBuffer>): number {
  const sum = new CompensatedSum();
  sum.addAll(sortNumbers(values));
  return sum.value;
}
