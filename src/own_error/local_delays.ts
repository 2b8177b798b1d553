/**
 * How long chunks lay unread before this program read them, by the canaries that were read about the
 * same time on the same thread.
 *
 * For n chunks, P_i(d) is the share of the K canaries nearest in time to chunk i whose delay exceeds d,
 * and L(d) = sum P_i(d). Canaries are few and delays come in clusters, so at most
 * k(d) = upper bound of L + n/N + 2 sqrt(4 L n/N) chunks had a longer delay than d. Beyond the longest
 * delay D of a canary, L(d) is taken to fall as n/N D/d, more slowly than delays do.
 */

import { lowerBound } from "../statistics/search_sorted.ts";
import type { WorkerDelays } from "./canary_delays.ts";
import { poissonUpper } from "./poisson_upper.ts";

/** Canaries that stand for a chunk. */
const NEAREST = 15;
/** Delays that are considered, besides those beyond the longest. */
const GRID = 48;
/** Variance of counts against that of independent ones: delays come in clusters. */
const DISPERSION = 4;
/** No delay is taken to be known better than this: one canary's short delay says little. */
const MIN_LONGEST_NS = 0.2e6;
/** Time over which delays are taken to hang together. */
const BLOCK_NS = 200e6;

/** Chunks of which the delays are sought. */
export interface ReadChunks {
  /** The load worker that read each. */
  readonly workers: Float64Array;
  /** When. */
  readonly stampNs: Float64Array;
}

/** Delays of a set of chunks. */
export interface LocalDelays {
  /** Delays, ascending. */
  readonly delaysNs: Float64Array;
  /** Upper bound of the number of chunks that had a longer one. */
  readonly exceeding: Float64Array;
  /** Mean delay of the chunks, and the standard error of that mean. */
  readonly meanNs: number;
  readonly standardErrorNs: number;
}

/** Finds the delays of chunks; undefined without any canary. */
export function localDelays(
  chunks: ReadChunks,
  canaries: ReadonlyMap<number, WorkerDelays>,
): LocalDelays | undefined {
  const weights = canaryWeights(chunks, canaries);
  if (weights.length === 0) return undefined;
  const delays = weights.map(({ delayNs }) => delayNs);
  const count = chunks.stampNs.length;
  const canaryCount = delays.reduce((sum, { length }) => sum + length, 0);
  const grid = gridOf(delays, count);
  const each = count / canaryCount;
  const longestNs = Math.max(MIN_LONGEST_NS, ...delays.map((values) => maximum(values)));
  const exceeding = grid.map((delayNs) => {
    if (delayNs >= longestNs) return Math.min(count, poissonUpper(each * longestNs / delayNs));
    let local = 0;
    for (const { delayNs: values, weight } of weights) {
      for (let i = 0; i < values.length; i++) {
        if ((values[i] as number) > delayNs) local += weight[i] as number;
      }
    }
    const upper = local + each + 2 * Math.sqrt(DISPERSION * local * each);
    return Math.min(
      count,
      Math.max(poissonUpper(upper), upper + 2 * Math.sqrt(DISPERSION * local)),
    );
  });
  return { delaysNs: grid, exceeding, ...meanOf(weights, count) };
}

interface Weighted extends WorkerDelays {
  /** How many chunks each canary stands for. */
  readonly weight: Float64Array;
}

/** Shares out each chunk among the canaries nearest to it. */
function canaryWeights(
  { workers, stampNs }: ReadChunks,
  canaries: ReadonlyMap<number, WorkerDelays>,
): Weighted[] {
  // A worker without canaries of its own is taken to have been like the others.
  const all = new Map<number, WorkerDelays>();
  const weighted = new Map<WorkerDelays, Weighted>();
  let fallback: WorkerDelays | undefined;
  for (let chunk = 0; chunk < workers.length; chunk++) {
    const worker = workers[chunk] as number;
    let own = all.get(worker) ?? canaries.get(worker);
    if (own === undefined) {
      fallback ??= merged([...canaries.values()]);
      own = fallback;
    }
    if (own.readNs.length === 0) continue;
    all.set(worker, own);
    let entry = weighted.get(own);
    if (entry === undefined) {
      entry = { ...own, weight: new Float64Array(own.readNs.length) };
      weighted.set(own, entry);
    }
    share(entry, stampNs[chunk] as number);
  }
  return [...weighted.values()];
}

/** Adds a chunk to the canaries nearest to it in time. */
function share({ readNs, weight }: Weighted, stampNs: number): void {
  const wanted = Math.min(NEAREST, readNs.length);
  let start = lowerBound(readNs, stampNs);
  let end = start;
  while (end - start < wanted) {
    const before = start > 0 ? stampNs - (readNs[start - 1] as number) : Infinity;
    const after = end < readNs.length ? (readNs[end] as number) - stampNs : Infinity;
    if (before <= after) start--;
    else end++;
  }
  for (let i = start; i < end; i++) weight[i] = (weight[i] as number) + 1 / wanted;
}

/** Mean delay by the canaries' weights; its error by blocks of time, in which delays hang together. */
function meanOf(
  weights: readonly Weighted[],
  count: number,
): Pick<LocalDelays, "meanNs" | "standardErrorNs"> {
  let sum = 0;
  for (const { delayNs, weight } of weights) {
    for (let i = 0; i < delayNs.length; i++) {
      sum += (weight[i] as number) * (delayNs[i] as number);
    }
  }
  const meanNs = sum / count;
  const blocks = new Map<number, number>();
  for (const { delayNs, readNs, weight } of weights) {
    for (let i = 0; i < delayNs.length; i++) {
      const block = Math.floor((readNs[i] as number) / BLOCK_NS);
      const part = (weight[i] as number) * ((delayNs[i] as number) - meanNs);
      blocks.set(block, (blocks.get(block) ?? 0) + part);
    }
  }
  let squares = 0;
  for (const part of blocks.values()) squares += part * part;
  const correction = blocks.size / Math.max(1, blocks.size - 1);
  return { meanNs, standardErrorNs: Math.sqrt(squares * correction) / count };
}

/** Delays that are considered: quantiles of the canaries', all of the longest, and longer ones. */
function gridOf(delays: readonly Float64Array[], count: number): Float64Array {
  const sorted = Float64Array.from(delays.flatMap((values) => [...values])).sort();
  const grid = new Set<number>();
  for (let i = 0; i <= GRID; i++) {
    // Denser towards the longest.
    const rank = Math.round((sorted.length - 1) * (1 - (1 - i / GRID) ** 2));
    grid.add(sorted[rank] as number);
  }
  const longestNs = Math.max(MIN_LONGEST_NS, sorted.at(-1) as number);
  const most = 50 * Math.max(1, count / sorted.length);
  for (let factor = 1; factor <= most; factor *= 1.25) grid.add(longestNs * factor);
  grid.add(longestNs * most);
  return Float64Array.from(grid).sort();
}

function maximum(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

function merged(all: readonly WorkerDelays[]): WorkerDelays {
  const rows = all.flatMap(({ readNs, delayNs }) =>
    [...readNs].map((read, i) => [read, delayNs[i] as number] as const)
  ).sort(([a], [b]) => a - b);
  return {
    readNs: Float64Array.from(rows, ([read]) => read),
    delayNs: Float64Array.from(rows, ([, delay]) => delay),
  };
}
