import { percentile } from "../../core/statistics/percentile.ts";
import { upperBound } from "../../core/statistics/search_sorted.ts";
import type { TimeWindow } from "../../core/statistics/sample_window.ts";
import type { WorkerDelays } from "./canary_delays.ts";

/** Gap between canaries in nanoseconds beyond which none are written, or none can be read. */
const MIN_GAP_NS = 3e9;
/**
 * Gap as a multiple of the usual spacing, for canaries that are farther apart, such as those kept
 * of a run of days.
 */
const GAP_SPACINGS = 30;

/**
 * Returns the gap between read canaries of a thread, in nanoseconds, beyond which the thread's
 * state in the gap is unknown.
 */
export function longestWatchedGapNs({ readNs }: WorkerDelays): number {
  if (readNs.length < 2) return MIN_GAP_NS;
  const spacings = readNs.subarray(1).map((read, at) => read - (readNs[at] as number)).sort();
  return Math.max(MIN_GAP_NS, GAP_SPACINGS * percentile(spacings, 50));
}

/**
 * The times, without their ends, about which no canary of a thread was read: the thread that writes
 * them may have ended, or its connections. In their order; the first and the last have no end.
 */
export function unwatchedTimes(
  delays: WorkerDelays,
  gapNs: number = longestWatchedGapNs(delays),
): TimeWindow[] {
  const times: TimeWindow[] = [];
  let lastNs = -Infinity;
  const addUpTo = (nextNs: number): void => {
    if (nextNs - lastNs > 2 * gapNs) times.push({ startNs: lastNs + gapNs, endNs: nextNs - gapNs });
    lastNs = nextNs;
  };
  delays.readNs.forEach(addUpTo);
  addUpTo(Infinity);
  return times;
}

/** The times about which no canary of a thread was read. */
export interface UnwatchedThread {
  /** See {@linkcode longestWatchedGapNs}. */
  readonly gapNs: number;
  readonly times: readonly TimeWindow[];
}

/** Returns the unwatched time of a thread. */
export function unwatchedThread(delays: WorkerDelays): UnwatchedThread {
  const gapNs = longestWatchedGapNs(delays);
  return { gapNs, times: unwatchedTimes(delays, gapNs) };
}

/** Finds requests read at times that no canary covers. */
export class Unwatched {
  /** Unwatched time of each thread that read canaries. */
  readonly threads: ReadonlyMap<number, UnwatchedThread>;
  /** Where these times begin and end. */
  readonly #times = new Map<
    number,
    { readonly starts: Float64Array; readonly ends: Float64Array }
  >();
  /** Whether canaries were read for so long that a thread without any cannot read them. */
  readonly #areLong: boolean;

  constructor(canaries: ReadonlyMap<number, WorkerDelays>) {
    this.threads = new Map(
      [...canaries].map(([worker, delays]) => [worker, unwatchedThread(delays)]),
    );
    for (const [worker, { times }] of this.threads) {
      this.#times.set(worker, {
        starts: Float64Array.from(times, ({ startNs }) => startNs),
        ends: Float64Array.from(times, ({ endNs }) => endNs),
      });
    }
    this.#areLong = areLong(canaries);
  }

  /**
   * Whether the state of a thread at a time is unknown. A thread without canaries is treated like
   * the others, unless they have read canaries for longer than the maximum gap: then it cannot read
   * any.
   */
  has(worker: number, stampNs: number): boolean {
    const own = this.#times.get(worker);
    if (own === undefined) return this.#areLong;
    const next = upperBound(own.ends, stampNs);
    return (own.starts[next] ?? Infinity) < stampNs;
  }
}

/** Whether canaries were read for so long that a thread without any cannot read them. */
export function areLong(canaries: ReadonlyMap<number, WorkerDelays>): boolean {
  for (const { readNs } of canaries.values()) {
    if ((readNs.at(-1) ?? 0) - (readNs[0] ?? 0) > MIN_GAP_NS) return true;
  }
  return false;
}
