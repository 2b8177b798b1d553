import { lowerBound } from "../statistics/search_sorted.ts";
import type { WorkerDelays } from "./canary_delays.ts";
import type { WeightedDelays } from "./timed_delays.ts";

/** Canaries that stand for a chunk. */
const NEAREST = 15;
/** They are fewer where others are farther off than this. */
const FAR_NS = 100e6;
const FEWEST = 4;

/** Chunks of which the delays are sought. */
export interface ReadChunks {
  /** The load worker that read each. */
  readonly workers: Float64Array;
  /** When. */
  readonly stampNs: Float64Array;
  /** The most that each can have lain unread; infinite where that is not known. */
  readonly atMostNs?: Float64Array | undefined;
  /** So long at most each lay unread because its thread stood still; undefined for not at all. */
  readonly stoodNs?: Float64Array | undefined;
  /** Whether many of them are of their threads' first requests. @default false */
  readonly areOfFirstWave?: boolean;
}

/** The canaries of a worker, and its chunks by the canaries that stand for them. */
export interface CanaryWindows extends WorkerDelays {
  /** Runs of canaries, from one to before another, and how many chunks each stands for. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly chunks: Float64Array;
}

/** How many chunks each run of canaries stands for, by its key. */
interface CountedRuns extends WorkerDelays {
  readonly runs: Map<number, number>;
}

/**
 * Finds the canaries nearest to each chunk.
 * @param factor by which their delays are multiplied
 */
export function canaryWindows(
  { workers, stampNs }: ReadChunks,
  canaries: ReadonlyMap<number, WorkerDelays>,
  factor = 1,
): CanaryWindows[] {
  const found = new Map<number, CountedRuns>();
  // A worker without canaries of its own is taken to have been like the others.
  let others: CountedRuns | undefined;
  for (let chunk = 0; chunk < workers.length; chunk++) {
    const worker = workers[chunk] as number;
    let windows = found.get(worker);
    if (windows === undefined) {
      const own = canaries.get(worker);
      windows = own === undefined
        ? others ??= { ...merged(canaries), runs: new Map() }
        : { ...own, runs: new Map() };
      found.set(worker, windows);
    }
    if (windows.readNs.length === 0) continue;
    const { start, end } = nearest(windows.readNs, stampNs[chunk] as number);
    const key = start * (NEAREST + 1) + end - start;
    windows.runs.set(key, (windows.runs.get(key) ?? 0) + 1);
  }
  return [...new Set(found.values())].filter(({ runs }) => runs.size > 0)
    .map((windows) => inArrays(windows, factor));
}

function inArrays({ delayNs, readNs, runs }: CountedRuns, factor: number): CanaryWindows {
  const starts = new Uint32Array(runs.size);
  const ends = new Uint32Array(runs.size);
  const chunks = new Float64Array(runs.size);
  let at = 0;
  for (const [key, count] of runs) {
    const start = Math.floor(key / (NEAREST + 1));
    starts[at] = start;
    ends[at] = start + key % (NEAREST + 1);
    chunks[at++] = count;
  }
  return { readNs, delayNs: delayNs.map((delay) => delay * factor), starts, ends, chunks };
}

/** Delays of the canaries that were read nearest to a time. */
export function nearestDelays({ readNs, delayNs }: WorkerDelays, stampNs: number): Float64Array {
  const { start, end } = nearest(readNs, stampNs);
  return delayNs.subarray(start, end);
}

/**
 * The canaries that were read nearest to a time: up to {@linkcode NEAREST}, as far as they are not too
 * far off, and at least {@linkcode FEWEST}.
 */
function nearest(readNs: Float64Array, stampNs: number): { start: number; end: number } {
  let start = lowerBound(readNs, stampNs);
  let end = start;
  while (end - start < Math.min(NEAREST, readNs.length)) {
    const before = start > 0 ? stampNs - (readNs[start - 1] as number) : Infinity;
    const after = end < readNs.length ? (readNs[end] as number) - stampNs : Infinity;
    if (end - start >= FEWEST && Math.min(before, after) > FAR_NS) break;
    if (before <= after) start--;
    else end++;
  }
  return { start, end };
}

/**
 * L(d), and the variance that it has if each chunk is late or not by itself: where all canaries about
 * a chunk say the same, there is none.
 */
export function exceedance(
  all: readonly CanaryWindows[],
  delayNs: number,
): { local: number; variance: number } {
  let local = 0;
  let variance = 0;
  for (const { chunks, delayNs: delays, ends, starts } of all) {
    const late = new Uint32Array(delays.length + 1);
    for (let i = 0; i < delays.length; i++) {
      late[i + 1] = (late[i] as number) + ((delays[i] as number) > delayNs ? 1 : 0);
    }
    for (let run = 0; run < chunks.length; run++) {
      const start = starts[run] as number;
      const end = ends[run] as number;
      const share = ((late[end] as number) - (late[start] as number)) / (end - start);
      local += (chunks[run] as number) * share;
      variance += (chunks[run] as number) * share * (1 - share);
    }
  }
  return { local, variance };
}

/** Shares out the chunks among their canaries. */
export function weighted({ chunks, delayNs, ends, readNs, starts }: CanaryWindows): WeightedDelays {
  const weight = new Float64Array(readNs.length);
  // In order, so that the sums do not depend on the order of the chunks.
  const runs = Array.from(starts.keys()).sort((a, b) =>
    (starts[a] as number) - (starts[b] as number) || (ends[a] as number) - (ends[b] as number)
  );
  for (const run of runs) {
    const [start, end] = [starts[run] as number, ends[run] as number];
    const each = (chunks[run] as number) / (end - start);
    for (let i = start; i < end; i++) weight[i] = (weight[i] as number) + each;
  }
  return { readNs, delayNs, weight };
}

/** The canaries of all workers, as if they were of one. */
function merged(all: ReadonlyMap<number, WorkerDelays>): WorkerDelays {
  const rows = [...all.values()].flatMap(({ readNs, delayNs }) =>
    [...readNs].map((read, i) => [read, delayNs[i] as number] as const)
  ).sort(([a], [b]) => a - b);
  return {
    readNs: Float64Array.from(rows, ([read]) => read),
    delayNs: Float64Array.from(rows, ([, delay]) => delay),
  };
}
