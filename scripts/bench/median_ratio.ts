import { median } from "./median.ts";

/** What was measured, in rounds. */
export interface MeasuredRounds {
  /**
   * A value for each round, by who was measured; values of the same round belong together. One that
   * is not measured in every round has fewer.
   */
  readonly values: ReadonlyMap<string, readonly number[]>;
}

/** The median over the rounds of one's value as a multiple of another's; undefined without both. */
export function medianRatio(row: MeasuredRounds, one: string, other: string): number | undefined {
  const others = row.values.get(other) ?? [];
  const ratios = others.map((value, round) => (row.values.get(one)?.[round] ?? NaN) / value)
    .filter((ratio) => Number.isFinite(ratio));
  return ratios.length === 0 ? undefined : median(ratios);
}
