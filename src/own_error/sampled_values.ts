import { lowerBound } from "../statistics/search_sorted.ts";
import { sortNumbers } from "../statistics/sort_numbers.ts";

/** Values that are put in order with what belongs to each; of more, every second, third ... */
const MAX_SORTED = 3000;

/** Values in ascending order, and what belongs to each. */
export interface SampledValues {
  readonly sorted: Float64Array;
  readonly divisors: Float64Array | undefined;
  /** The most that each can be lowered, and raised, by itself. */
  readonly downMs: Float64Array | undefined;
  readonly upMs: Float64Array | undefined;
  /** Each stands for so many. */
  readonly stride: number;
}

/** Columns of values, in any order; those of a kind that is not known are undefined. */
export interface ValueColumns {
  readonly values: Float64Array;
  readonly divisors: Float64Array | undefined;
  readonly downMs: Float64Array | undefined;
  readonly upMs: Float64Array | undefined;
}

/** Puts values in order; of many, and where each has something to it, only some. */
export function sampledValues({ values, divisors, downMs, upMs }: ValueColumns): SampledValues {
  const sorted = sortNumbers(values.slice());
  if (divisors === undefined && downMs === undefined && upMs === undefined) {
    return { sorted, divisors, downMs, upMs, stride: 1 };
  }
  const stride = Math.ceil(values.length / MAX_SORTED);
  const rows = rowsAt(
    values,
    sorted,
    stride,
    (a, b) =>
      difference(divisors, a, b) || difference(downMs, a, b) || difference(upMs, a, b) || a - b,
  );
  return {
    sorted: picked(values, rows),
    divisors: divisors && picked(divisors, rows),
    downMs: downMs && picked(downMs, rows),
    upMs: upMs && picked(upMs, rows),
    stride,
  };
}

/**
 * The rows of every so-manieth of sorted values.
 * @param compare puts rows of the same value in order
 */
function rowsAt(
  values: Float64Array,
  sorted: Float64Array,
  stride: number,
  compare: (a: number, b: number) => number,
): Uint32Array {
  const wanted = new Float64Array(Math.ceil(sorted.length / stride));
  for (let at = 0; at < wanted.length; at++) wanted[at] = sorted[at * stride] as number;
  const rows = new Uint32Array(wanted.length);
  /** Rows of values that several have, by the value. */
  const equal = new Map<number, number[]>();
  for (let row = 0; row < values.length; row++) {
    const value = values[row] as number;
    const at = lowerBound(wanted, value);
    if (wanted[at] !== value) continue;
    const place = at * stride;
    const isOne = sorted[place + 1] !== value && (place === 0 || sorted[place - 1] !== value);
    if (isOne) {
      rows[at] = row;
      continue;
    }
    const others = equal.get(value);
    if (others === undefined) equal.set(value, [row]);
    else others.push(row);
  }
  for (const [value, own] of equal) {
    own.sort(compare);
    const first = lowerBound(sorted, value);
    for (let at = Math.ceil(first / stride); wanted[at] === value; at++) {
      rows[at] = own[at * stride - first] as number;
    }
  }
  return rows;
}

function difference(column: Float64Array | undefined, a: number, b: number): number {
  return column === undefined ? 0 : (column[a] as number) - (column[b] as number);
}

function picked(column: Float64Array, rows: Uint32Array): Float64Array {
  const values = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at++) values[at] = column[rows[at] as number] as number;
  return values;
}
