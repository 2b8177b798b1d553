import { CompensatedSum } from "./compensated_sum.ts";

/** Levels that are looked at together. */
const BLOCK = 4096;

/** Statistics of a quantity that changes in steps, weighted by the time at each level. */
export interface LevelSummary {
  readonly avg: number;
  readonly min: number;
  readonly max: number;
  /** Standard deviation of the population. */
  readonly std: number;
  /**
   * Level that the quantity did not exceed for half of the time; likewise for the other
   * percentiles.
   */
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
}

/**
 * Summarizes levels, each of which lasted for a while.
 * @param levels are reordered, together with their durations
 * @param durations above zero, at least one
 */
export function summarizeLevels(levels: Float64Array, durations: Float64Array): LevelSummary {
  const time = new CompensatedSum();
  time.addAll(durations);
  const { min, max } = extremesOf(levels);
  const products = new Float64Array(Math.min(levels.length, BLOCK));
  const area = new CompensatedSum();
  for (let start = 0; start < levels.length; start += BLOCK) {
    const block = products.subarray(0, Math.min(BLOCK, levels.length - start));
    putAreas(block, levels, durations, start);
    area.addAll(block);
  }
  const avg = Math.min(max, Math.max(min, area.value / time.value));
  const squares = new CompensatedSum();
  for (let start = 0; start < levels.length; start += BLOCK) {
    const block = products.subarray(0, Math.min(BLOCK, levels.length - start));
    putSquares(block, levels, durations, start, avg);
    squares.addAll(block);
  }
  const [p50, p90, p95, p99] = levelsAt(levels, durations, [0.5, 0.9, 0.95, 0.99], time.value);
  const std = Math.sqrt(squares.value / time.value);
  return { avg, min, max, std, p50, p90, p95, p99 } as LevelSummary;
}

function putAreas(
  block: Float64Array,
  levels: Float64Array,
  durations: Float64Array,
  start: number,
): void {
  for (let i = 0; i < block.length; i++) {
    block[i] = (levels[start + i] as number) * (durations[start + i] as number);
  }
}

function putSquares(
  block: Float64Array,
  levels: Float64Array,
  durations: Float64Array,
  start: number,
  avg: number,
): void {
  for (let i = 0; i < block.length; i++) {
    block[i] = ((levels[start + i] as number) - avg) ** 2 * (durations[start + i] as number);
  }
}

function extremesOf(levels: Float64Array): { readonly min: number; readonly max: number } {
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < levels.length; i++) {
    const level = levels[i] as number;
    if (level < min) min = level;
    if (level > max) max = level;
  }
  return { min, max };
}

/** Levels that are put in order as far as percentiles need it. */
interface Search {
  readonly levels: Float64Array;
  readonly durations: Float64Array;
  /** Everything before `first` is lower, and lasted for `timeBefore`. */
  first: number;
  timeBefore: number;
}

/**
 * The lowest levels at or below which the quantity stood for some shares of the time.
 *
 * Found by quickselect: a run of a million requests has three million levels, and sorting them
 * together with their durations would take seconds.
 *
 * @param shares in ascending order
 */
function levelsAt(
  levels: Float64Array,
  durations: Float64Array,
  shares: readonly number[],
  totalTime: number,
): number[] {
  const search: Search = { levels, durations, first: 0, timeBefore: 0 };
  return shares.map((share) => levelAt(search, share * totalTime));
}

function levelAt(search: Search, time: number): number {
  const { levels, durations } = search;
  let last = levels.length - 1;
  while (search.first < last) {
    const first = search.first;
    const pivot = levels[(first + last) >> 1] as number;
    let lower = first;
    let higher = last;
    let lowerTime = 0;
    let pivotTime = 0;
    for (let i = first; i <= higher;) {
      const level = levels[i] as number;
      const duration = durations[i] as number;
      if (level > pivot) {
        levels[i] = levels[higher] as number;
        durations[i] = durations[higher] as number;
        levels[higher] = level;
        durations[higher--] = duration;
        continue;
      }
      if (level === pivot) {
        pivotTime += duration;
      } else {
        lowerTime += duration;
        levels[i] = levels[lower] as number;
        durations[i] = durations[lower] as number;
        levels[lower] = level;
        durations[lower++] = duration;
      }
      i++;
    }
    const wanted = time - search.timeBefore;
    if (wanted <= lowerTime && lower > first) {
      last = lower - 1;
    } else if (wanted <= lowerTime + pivotTime || higher === last) {
      search.first = lower;
      search.timeBefore += lowerTime;
      return pivot;
    } else {
      search.first = higher + 1;
      search.timeBefore += lowerTime + pivotTime;
    }
  }
  return levels[search.first] as number;
}
