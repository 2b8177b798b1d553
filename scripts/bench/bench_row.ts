import type { MachineUse } from "./machine_use.ts";
import type { Target } from "./target.ts";

/** One quantity that was measured. */
export interface BenchRow {
  readonly label: string;
  readonly unit: string;
  /** Decimals that are shown. @default 2 */
  readonly decimals?: number;
  /**
   * A value for each round, by who was measured; values of the same round belong together. One that
   * is not measured in every round has fewer.
   */
  readonly values: ReadonlyMap<string, readonly number[]>;
  readonly targets: readonly Target[];
  /** During each run; empty where nothing outside the process can matter. */
  readonly machine: readonly MachineUse[];
}

/** The middle one of some values, the mean of the two in the middle of an even number. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? NaN;
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? NaN)) / 2 : upper;
}

/** The median over the rounds of one's value as a multiple of another's; undefined without both. */
export function medianRatio(row: BenchRow, one: string, other: string): number | undefined {
  const others = row.values.get(other) ?? [];
  const ratios = others.map((value, round) => (row.values.get(one)?.[round] ?? NaN) / value)
    .filter((ratio) => Number.isFinite(ratio));
  return ratios.length === 0 ? undefined : median(ratios);
}
