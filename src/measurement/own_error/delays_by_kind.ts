import { MESSAGE_KINDS, type Shadow } from "../canary/canary_kind.ts";
import type { CanaryLog } from "../canary/canary_log.ts";
import { canaryDelays, longestWithin, rowsByWorker, type WorkerDelays } from "./canary_delays.ts";
import { type LostTime, lostTime } from "./lost_time.ts";
import { type ReadingFacts, untoldChunks } from "./untold_chunks.ts";
import { Unwatched, type UnwatchedThread } from "./unwatched.ts";

/** Shorter stalls are frequent on a busy machine. */
const LONG_STALL_NS = 50e6;
/**
 * Time after the end of a stall, in nanoseconds, within which everything that arrived in it is
 * read.
 */
const SETTLED_NS = 150e6;
/** Number of canaries of a kind, or of values, below which they do not show usual delays. */
export const FEW = 30;
/**
 * Time before and after a contradiction, in nanoseconds, within which event-loop iterations are not
 * trusted.
 */
const CONTRADICTED_NS = 100e6;
/** Factor by which the read delay of chunks can exceed the longest of such canaries. */
const CONTRADICTED_FACTOR = 2;
/**
 * Fraction of the time with contradictions above which event-loop iterations are never trusted.
 */
const MAX_CONTRADICTED_SHARE = 0.2;
/** Minimum number of canaries without contradiction for event-loop iterations to be trusted. */
const MIN_CONSENTING = 10;

/** Delays that stand for each kind of chunk, and those of all canaries. */
export interface DelaysByKind extends Readonly<Record<"last" | "all", Delays>> {
  /** Stalls of the threads that read. */
  readonly lost: LostTime;
  /** Whether event-loop iterations give an upper bound of the read delay of chunks. */
  readonly areTurnsTrusted: boolean;
  /** Chunks whose read delay canaries do not show. */
  readonly untold: readonly Shadow[];
  /** The times of threads of which nothing is known, as no canary was read about them; found once. */
  readonly unwatched: ReadonlyMap<number, UnwatchedThread>;
  /** Whether a time is one of them. */
  isUnwatched(worker: number, stampNs: number): boolean;
  /**
   * Returns by how much the read delay can exceed that bound, in nanoseconds, according to canaries
   * that the thread read around that time. Infinite if no such canary was read, or the thread had
   * just stalled.
   */
  longerNs(worker: number, stampNs: number): number;
}

type Delays = ReadonlyMap<number, WorkerDelays>;

/**
 * The delays of a run, for its statistics and those of its parts.
 * @param reading how its replies are read; undefined for all that there is at once, as canaries are
 */
export function delaysByKind(canaries: CanaryLog, reading?: ReadingFacts): DelaysByKind {
  const all = canaryDelays(canaries, MESSAGE_KINDS);
  // Where many replies end and many requests begin, servers write, and the thread of canaries waits
  // for a core: from when they were intended, canaries are about as late as last chunks then.
  const last = canaryDelays(canaries, ["last"], { fromIntended: true });
  const contradictions = contradictionsOf(canaries);
  const lost = lostTime(canaries);
  const unwatched = new Unwatched(all);
  const contradicting = [...contradictions.values()].reduce(
    (sum, { readNs }) => sum + readNs.length,
    0,
  );
  return {
    ...{ last: countOf(last) >= FEW ? last : all, all },
    lost,
    areTurnsTrusted: countOf(all) - contradicting >= MIN_CONSENTING &&
      contradictedShare(all, contradictions) <= MAX_CONTRADICTED_SHARE,
    untold: reading === undefined ? [] : untoldChunks(reading, all),
    unwatched: unwatched.threads,
    isUnwatched: (worker, stampNs) => unwatched.has(worker, stampNs),
    longerNs(worker, stampNs) {
      if (unwatched.has(worker, stampNs)) return Infinity;
      // Nor are chunks that were read when their thread had stood still for so much of the time before:
      // reads that had ended before it stopped come after it, and with them turns that are none. Of 200
      // ms that a stop had made chunks late, some of one run in six told 3.
      const lostNs = lost.within(worker, stampNs - SETTLED_NS, stampNs);
      if (lostNs >= LONG_STALL_NS) return Infinity;
      const own = contradictions.get(worker);
      if (own === undefined) return 0;
      const [fromNs, toNs] = [stampNs - CONTRADICTED_NS, stampNs + CONTRADICTED_NS];
      return CONTRADICTED_FACTOR * longestWithin(own, fromNs, toNs);
    },
  };
}

function countOf(delays: Delays): number {
  return [...delays.values()].reduce((sum, { readNs }) => sum + readNs.length, 0);
}

/** Returns the canaries of each worker that contradict the bounds from event-loop iterations. */
function contradictionsOf(canaries: CanaryLog): Delays {
  const [writtenNs, readNs] = [canaries.column(1), canaries.column(3)];
  const lay = (row: number): number => (readNs[row] as number) - (writtenNs[row] as number);
  return new Map(
    [...rowsByWorker(canaries, ["contradiction"])].map(([worker, rows]) => [worker, {
      readNs: Float64Array.from(rows, (row) => readNs[row] as number),
      delayNs: Float64Array.from(rows, lay),
    }]),
  );
}

/** The share of the time of all threads that is near a contradiction. */
function contradictedShare(all: Delays, contradictions: Delays): number {
  let allNs = 0;
  let contradictedNs = 0;
  for (const [worker, { readNs }] of all) {
    allNs += (readNs.at(-1) ?? 0) - (readNs[0] ?? 0);
    let endNs = -Infinity;
    for (const timeNs of contradictions.get(worker)?.readNs ?? []) {
      contradictedNs += timeNs + CONTRADICTED_NS - Math.max(endNs, timeNs - CONTRADICTED_NS);
      endNs = timeNs + CONTRADICTED_NS;
    }
  }
  return contradictedNs / allNs;
}
