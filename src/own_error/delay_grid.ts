import { lowerBound } from "../statistics/search_sorted.ts";

/** Delays that are considered, besides those beyond the longest. */
const GRID = 48;
/** The same of those that chunks can have had at most. */
const MOST_GRID = 24;
/** The same of those for which their thread stood still. */
const STOOD_GRID = 8;

/**
 * Delays that are considered: quantiles of the canaries', all of the longest, and longer ones.
 * @param leastNs of the longest
 * @param mosts the most that chunks can have lain unread, ascending
 * @param stood the most that those did for which their thread stood still, ascending
 */
export function delayGrid(
  delays: readonly Float64Array[],
  leastNs: number,
  count: number,
  mosts: Float64Array = new Float64Array(0),
  stood: Float64Array = new Float64Array(0),
): Float64Array {
  const sorted = joined(delays).sort();
  const grid = new Set<number>();
  for (let i = 0; i <= GRID; i++) {
    // Denser towards the longest.
    const rank = Math.round((sorted.length - 1) * (1 - (1 - i / GRID) ** 2));
    grid.add(sorted[rank] as number);
  }
  const longestNs = Math.max(leastNs, sorted.at(-1) as number);
  const most = 50 * Math.max(1, count / sorted.length);
  for (let factor = 1; factor <= most; factor *= 1.25) grid.add(longestNs * factor);
  grid.add(longestNs * most);
  const known = lowerBound(mosts, Infinity);
  for (let i = 1; i <= MOST_GRID && known > 0; i++) {
    // Denser towards the longest, too.
    const rank = Math.round((known - 1) * (1 - (1 - i / MOST_GRID) ** 2));
    grid.add(mosts[rank] as number);
  }
  for (let i = 1; i <= STOOD_GRID && stood.length > 0; i++) {
    grid.add((stood[Math.round((stood.length - 1) * i / STOOD_GRID)] as number) + longestNs);
  }
  return Float64Array.from(grid).sort();
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
