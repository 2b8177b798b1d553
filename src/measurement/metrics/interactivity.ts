import { orderedSum } from "../../core/statistics/ordered_sum.ts";
import type { RecordTable } from "./record_table.ts";

/**
 * Tokens per second and user of some requests, pooled: their tokens after the first chunks divided by
 * the time in which these came; NaN without any.
 * @param rows of the table; undefined for all
 */
export function interactivity(table: RecordTable, rows?: readonly number[]): number {
  const times = table.storedColumn("inter_token_latency");
  if (times === undefined) return NaN;
  const { tokens: divisors } = table.divisors;
  const [ms, counts] = rows === undefined
    ? [times.copy(), divisors.copy()]
    : [times.values, divisors.values];
  const tokens = new Float64Array(rows?.length ?? ms.length);
  const seconds = new Float64Array(tokens.length);
  let known = 0;
  for (let at = 0; at < tokens.length; at++) {
    const row = rows?.[at] ?? at;
    const value = ms[row] ?? NaN;
    const count = counts[row] ?? NaN;
    if (Number.isNaN(value)) continue;
    tokens[known] = count;
    seconds[known++] = value * count / 1e3;
  }
  return orderedSum(tokens.subarray(0, known)) / orderedSum(seconds.subarray(0, known));
}
