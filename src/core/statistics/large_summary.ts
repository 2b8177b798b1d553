/** Summaries of many values, where sorting would take most of the time. */

import { selectNear } from "./select_near.ts";
import { selectRanks } from "./select_ranks.ts";
import type { SortedValues } from "./sorted_values.ts";

/** Whole numbers that lie within this are counted. */
const MAX_COUNTED = 65_536;

/** Values from which a summary is computed. */
export interface LargeValues {
  /** The values in ascending order as far as they were asked for. */
  readonly sorted: SortedValues;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly mean: number;
  /** Sum of the squares of their distances to the mean. */
  readonly squares: number;
}

/**
 * Looks through values for their moments, and for those at some places in ascending order: exact, as
 * if they had been sorted. All are NaN where one of the values is.
 * @param values at least one; they stay as they are
 * @param places from 0, each below the number of values
 */
export function largeValues(values: Float64Array, places: readonly number[]): LargeValues {
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    // Twice as fast as to compare: the compiler makes no branches of it.
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  if (Number.isNaN(min)) {
    const sorted = { length: values.length, at: () => NaN };
    return { sorted, min, max, sum: NaN, mean: NaN, squares: NaN };
  }
  return max - min < MAX_COUNTED && Number.isSafeInteger(min) && areWhole(values)
    ? counted(values, min, max)
    : selected(values, min, max, places);
}

function areWhole(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (Math.floor(value) !== value) return false;
  }
  return true;
}

function counted(values: Float64Array, min: number, max: number): LargeValues {
  const counts = new Float64Array(max - min + 1);
  if (min === max) counts[0] = values.length;
  else {
    for (let i = 0; i < values.length; i++) {
      const place = (values[i] as number) - min;
      counts[place] = (counts[place] as number) + 1;
    }
  }
  const ends = new Float64Array(counts.length);
  let end = 0;
  // Distances to the least are whole, so their sum is exact.
  let distance = 0;
  for (let place = 0; place < counts.length; place++) {
    const count = counts[place] as number;
    ends[place] = end += count;
    distance += place * count;
  }
  const mean = distance / values.length;
  let squares = 0;
  for (let place = 0; place < counts.length; place++) {
    squares += (place - mean) ** 2 * (counts[place] as number);
  }
  return {
    ...{ min, max, sum: distance + min * values.length, mean: min + mean, squares },
    sorted: {
      length: values.length,
      at: (index) => min + placeAbove(ends, index),
    },
  };
}

/** The first of ascending numbers that is above one. */
function placeAbove(ends: Float64Array, index: number): number {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] as number) > index) high = middle;
    else low = middle + 1;
  }
  return low;
}

function selected(
  values: Float64Array,
  min: number,
  max: number,
  places: readonly number[],
): LargeValues {
  return { min, max, ...momentsOf(values), sorted: sortedAt(values, min, max, places) };
}

/**
 * Values in ascending order, as far as some places of it.
 * @param values none of them NaN, all from `min` to `max`; they stay as they are
 */
export function sortedAt(
  values: Float64Array,
  min: number,
  max: number,
  places: readonly number[],
): SortedValues {
  const found = min === max
    ? places.map(() => min)
    : selectNear(values, min, max, places) ?? selectRanks(values, places);
  const byPlace = new Map(places.map((place, at) => [place, found[at] as number]));
  return { length: values.length, at: (index) => byPlace.get(index) };
}

/**
 * Returns sums of the values and of their distances to the first one, with Neumaier's correction as
 * in `CompensatedSum`. Many values are added at once, so that numbers stay in registers, and the
 * remainder of a sum is found without comparing its two addends.
 */
function momentsOf(values: Float64Array): Pick<LargeValues, "sum" | "mean" | "squares"> {
  const shift = values[0] as number;
  let [sum, sumRest, shifted, shiftedRest] = [0, 0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    const nextSum = sum + value;
    const added = nextSum - sum;
    sumRest += (sum - (nextSum - added)) + (value - added);
    sum = nextSum;
    const distance = value - shift;
    const nextShifted = shifted + distance;
    const addedDistance = nextShifted - shifted;
    shiftedRest += (shifted - (nextShifted - addedDistance)) + (distance - addedDistance);
    shifted = nextShifted;
  }
  const meanDistance = (shifted + shiftedRest) / values.length;
  let [squares, squaresRest, residues, residuesRest] = [0, 0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const deviation = (values[i] as number) - shift - meanDistance;
    const square = deviation * deviation;
    const nextSquares = squares + square;
    const addedSquare = nextSquares - squares;
    squaresRest += (squares - (nextSquares - addedSquare)) + (square - addedSquare);
    squares = nextSquares;
    const nextResidues = residues + deviation;
    const addedResidue = nextResidues - residues;
    residuesRest += (residues - (nextResidues - addedResidue)) + (deviation - addedResidue);
    residues = nextResidues;
  }
  const residue = residues + residuesRest;
  return {
    sum: sum + sumRest,
    mean: (sum + sumRest) / values.length,
    squares: squares + squaresRest - residue * residue / values.length,
  };
}
