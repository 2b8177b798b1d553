import { sortedAt } from "./large_summary.ts";
import { percentile } from "./percentile.ts";

/** Number of values from which only the wanted ranks are selected. */
const MANY = 20_000;
/** Length below which intervals are sorted directly. */
const SHORT = 16;

/**
 * Percentiles of values, as {@linkcode percentile} of the same values in ascending order, found by
 * quickselect, or by counting: a few of them cost less than to put all values in order.
 * @param values none NaN; they may be reordered
 * @param ps from 0 to 100, ascending
 */
export function selectPercentiles(values: Float64Array, ps: readonly number[]): number[] {
  const { length } = values;
  if (length >= MANY) return percentilesOfMany(values, ps);
  let start = 0;
  return ps.map((p) => {
    if (length === 0) return NaN;
    const rank = Math.floor((length - 1) * (p / 100));
    if (rank >= start) {
      select(values, start, length - 1, rank);
      if (rank + 1 < length) bringLeast(values, rank + 1);
      start = rank;
    }
    return percentile({ length, at: (index) => values[index] }, p);
  });
}

/** Returns percentiles of many values without reordering them: counting costs less than moving. */
function percentilesOfMany(values: Float64Array, ps: readonly number[]): number[] {
  const { length } = values;
  const places = ps.flatMap((p) => {
    const place = Math.floor((length - 1) * (p / 100));
    return [place, Math.min(place + 1, length - 1)];
  });
  let [min, max] = [Infinity, -Infinity];
  for (let i = 0; i < length; i++) {
    const value = values[i] as number;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  const sorted = sortedAt(values, min, max, places);
  return ps.map((p) => percentile(sorted, p));
}

/** Moves the value at a rank to its place: no larger ones before it, no smaller ones behind it. */
function select(values: Float64Array, from: number, to: number, rank: number): void {
  let [first, last] = [from, to];
  while (last - first > SHORT) {
    const pivot = middleOf(
      values[first] as number,
      values[(first + last) >>> 1] as number,
      values[last] as number,
    );
    let [low, high] = [first, last];
    while (low <= high) {
      while ((values[low] as number) < pivot) low++;
      while ((values[high] as number) > pivot) high--;
      if (low > high) break;
      swap(values, low++, high--);
    }
    if (rank <= high) last = high;
    else if (rank >= low) first = low;
    else return;
  }
  values.subarray(first, last + 1).sort();
}

/** Moves the smallest value at or after a position to that position. */
function bringLeast(values: Float64Array, place: number): void {
  let least = place;
  for (let at = place + 1; at < values.length; at++) {
    if ((values[at] as number) < (values[least] as number)) least = at;
  }
  swap(values, place, least);
}

function swap(values: Float64Array, a: number, b: number): void {
  const value = values[a] as number;
  values[a] = values[b] as number;
  values[b] = value;
}

function middleOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
