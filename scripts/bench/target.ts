import { median } from "./median.ts";
import { type MeasuredRounds, medianRatio } from "./median_ratio.ts";
import { OURS } from "./product.ts";

/** What a quantity of ours should be. */
export interface Target {
  readonly text: string;
  /** Whether it is met; undefined if what it compares with was not measured. */
  isMet(row: MeasuredRounds): boolean | undefined;
}

/** Ours is at most so large. */
export function atMost(limit: number): Target {
  return {
    text: `<= ${limit}`,
    isMet: (row) => {
      const values = row.values.get(OURS) ?? [];
      return values.length === 0 ? undefined : median(values) <= limit;
    },
  };
}

/** Ours is at least so large. */
export function atLeast(limit: number): Target {
  return {
    text: `>= ${limit}`,
    isMet: (row) => {
      const values = row.values.get(OURS) ?? [];
      return values.length === 0 ? undefined : median(values) >= limit;
    },
  };
}

/** Ours is at most so many times a peer's of the same round. */
export function atMostTimes(factor: number, peer: string): Target {
  return {
    text: `<= ${factor}x ${peer}`,
    isMet: (row) => compare(row, peer, (ratio) => ratio <= factor),
  };
}

/** Ours is at least so many times a peer's of the same round. */
export function atLeastTimes(factor: number, peer: string): Target {
  return {
    text: `>= ${factor}x ${peer}`,
    isMet: (row) => compare(row, peer, (ratio) => ratio >= factor),
  };
}

function compare(
  row: MeasuredRounds,
  peer: string,
  holds: (ratio: number) => boolean,
): boolean | undefined {
  const ratio = medianRatio(row, OURS, peer);
  return ratio === undefined ? undefined : holds(ratio);
}
