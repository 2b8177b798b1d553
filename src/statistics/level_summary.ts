import { CompensatedSum } from "./compensated_sum.ts";

/** What is said of a quantity that stands at one level after another, weighted by how long. */
export interface LevelSummary {
  readonly avg: number;
  readonly min: number;
  readonly max: number;
  /** Standard deviation of the population. */
  readonly std: number;
  /** The quantity stood at this level or below for half of the time; the others likewise. */
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
  const area = new CompensatedSum();
  let min = Infinity;
  let max = -Infinity;
  levels.forEach((level, i) => {
    const duration = durations[i] as number;
    time.add(duration);
    area.add(level * duration);
    if (level < min) min = level;
    if (level > max) max = level;
  });
  const avg = Math.min(max, Math.max(min, area.value / time.value));
  const squares = new CompensatedSum();
  levels.forEach((level, i) => squares.add((level - avg) ** 2 * (durations[i] as number)));
  const [p50, p90, p95, p99] = levelsAt(levels, durations, [0.5, 0.9, 0.95, 0.99], time.value);
  const std = Math.sqrt(squares.value / time.value);
  return { avg, min, max, std, p50, p90, p95, p99 } as LevelSummary;
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
  const swap = (a: number, b: number): void => {
    const level = levels[a] as number;
    levels[a] = levels[b] as number;
    levels[b] = level;
    const duration = durations[a] as number;
    durations[a] = durations[b] as number;
    durations[b] = duration;
  };
  // Everything before `first` is lower, and lasted for `timeBefore`.
  let first = 0;
  let timeBefore = 0;
  return shares.map((share) => {
    let last = levels.length - 1;
    while (first < last) {
      const pivot = levels[(first + last) >> 1] as number;
      let lower = first;
      let higher = last;
      let lowerTime = 0;
      let pivotTime = 0;
      for (let i = first; i <= higher;) {
        const level = levels[i] as number;
        if (level > pivot) {
          swap(i, higher--);
          continue;
        }
        if (level === pivot) {
          pivotTime += durations[i] as number;
        } else {
          lowerTime += durations[i] as number;
          swap(i, lower++);
        }
        i++;
      }
      const wanted = share * totalTime - timeBefore;
      if (wanted <= lowerTime && lower > first) {
        last = lower - 1;
      } else if (wanted <= lowerTime + pivotTime || higher === last) {
        first = lower;
        timeBefore += lowerTime;
        return pivot;
      } else {
        first = higher + 1;
        timeBefore += lowerTime + pivotTime;
      }
    }
    return levels[first] as number;
  });
}
