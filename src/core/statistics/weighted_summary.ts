import { CompensatedSum } from "./compensated_sum.ts";

/** Statistics of values that count more than once. */
export interface WeightedSummary {
  /** Values. */
  readonly count: number;
  readonly avg: number;
  readonly std: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
}

/**
 * Summarizes weighted values: the mean is `sum(w v) / sum(w)`, the deviation that of the population,
 * and a percentile the smallest value up to which that share of the weight lies.
 *
 * @param weights none negative; values of weight zero are left out
 */
export function weightedSummary(values: Float64Array, weights: Float64Array): WeightedSummary {
  const rows = [...values.keys()].filter((row) => (weights[row] as number) > 0)
    .sort((a, b) => (values[a] as number) - (values[b] as number));
  const total = sumOf(rows, (row) => weights[row] as number);
  const avg = sumOf(rows, (row) => (values[row] as number) * (weights[row] as number)) / total;
  const variance = sumOf(
    rows,
    (row) => ((values[row] as number) - avg) ** 2 * (weights[row] as number),
  ) / total;
  const percentile = (p: number): number => {
    const below = new CompensatedSum();
    const row = rows.find((row) => {
      below.add(weights[row] as number);
      return below.value >= p / 100 * total;
    });
    return values[row ?? rows.at(-1) ?? -1] ?? NaN;
  };
  return {
    ...{ count: rows.length, avg, std: Math.sqrt(variance) },
    ...{ p50: percentile(50), p90: percentile(90), p95: percentile(95), p99: percentile(99) },
  };
}

function sumOf(rows: readonly number[], valueOf: (row: number) => number): number {
  const sum = new CompensatedSum();
  for (const row of rows) sum.add(valueOf(row));
  return sum.value;
}
