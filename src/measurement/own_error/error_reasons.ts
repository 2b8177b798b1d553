import { lowerBound, upperBound } from "../../core/statistics/search_sorted.ts";
import { percentile } from "../../core/statistics/percentile.ts";
import type { TimeWindow } from "../../core/statistics/sample_window.ts";
import type { DelaysByKind } from "./delays_by_kind.ts";
import { type LostTime, MAX_LOST_SHARE } from "./lost_time.ts";
import type { ErrorVerdict } from "./measurement_error.ts";
import { areLong, unwatchedThread } from "./unwatched.ts";

const SECOND_NS = 1e9;
/** Above this share of all cores the client itself is the load on the machine. */
const MAX_CPU_SHARE = 0.8;
/** Minimum number of canaries to determine a delay. */
const MIN_CANARIES = 10;
/** Number of canaries that suffices in any case: more would not change the result. */
const MANY_CANARIES = 600;
/** Shorter delays are not worth a sentence. */
const MIN_DELAY_MS = 2;
/** A thread that has fewer streams, and needs less of a core, is not what keeps them waiting. */
const FEW_STREAMS = 16;
const SMALL_CPU_SHARE = 0.5;
/**
 * Maximum number of digits: slices shorter than a tenth of a millisecond have times that look
 * alike.
 */
const MAX_DIGITS = 4;

/** A thread without canaries. */
const NEVER_WATCHED = unwatchedThread({
  readNs: new Float64Array(0),
  delayNs: new Float64Array(0),
});

/** Remedy if another process caused CPU contention. */
const LEAVE_ALONE = "use an idle machine, or stop other processes on this one";
/** Remedy if inferometer itself is too busy. */
const LESS_LOAD = "use a larger machine, or reduce the load";

/** Facts from which the causes of an error are found. */
export interface ErrorCircumstances {
  readonly verdict: ErrorVerdict;
  readonly delays: DelaysByKind;
  /** The profiling phase, or a part of it, on the run's clock. */
  readonly window: TimeWindow;
  /** When the profiling phase began: seconds are counted from it. */
  readonly originNs: number;
  /** Number of workers of all processes. */
  readonly workers: number;
  /** How many processes have them, as the shards of a run. @default 1 */
  readonly processes?: number;
  /** Average number of requests in flight; NaN if unknown. */
  readonly streams: number;
  /** CPU time of this process over the phase, in cores; NaN if it was not measured. */
  readonly cpuCores: number;
  readonly cores: number;
  /**
   * Time that ends of replies waited in the socket buffer behind earlier bytes, at the 99th
   * percentile, in milliseconds.
   * @default 0
   */
  readonly piledMs?: number;
}

/** Why the client's own error is what it is, and what to do about it: a sentence for each cause. */
export function errorReasons(circumstances: ErrorCircumstances): string[] {
  if (circumstances.verdict === "valid") return [];
  const reasons = [
    ...untold(circumstances),
    ...stalls(circumstances),
    ...piled(circumstances),
    ...overload(circumstances),
    ...unwatched(circumstances),
  ];
  return reasons.length > 0 ? reasons : [otherwise(circumstances)];
}

/**
 * Returns the causes for chunks whose delay canaries cannot show, whatever the load of the machine.
 */
function untold({ delays }: ErrorCircumstances): string[] {
  if (delays.untold.includes("first")) {
    return [
      "Client error unknown: a proxy from the environment also receives loopback traffic " +
      "(--transport fetch); set NO_PROXY=127.0.0.1",
    ];
  }
  return delays.untold.length === 0 ? [] : [
    "--transport fetch reads replies serially and may have read them later than they were written; " +
    "use --transport socket, or fewer streams",
  ];
}

/**
 * Returns the cause for the longest interval in which no canary was read, though the reading thread
 * ran.
 */
function unwatched(
  { delays, window, originNs, workers }: ErrorCircumstances,
): string[] {
  const { all, lost } = delays;
  if (all.size < workers && areLong(all)) {
    const count = workers - all.size;
    return [
      `Client error unknown on ${count} of ${workers} load workers (no canary was read); rerun`,
    ];
  }
  let longest: TimeWindow = { startNs: 0, endNs: 0 };
  const threads = all.size > 0 ? [...delays.unwatched] : [[0, NEVER_WATCHED] as const];
  for (const [worker, { gapNs, times: unwatchedTimes }] of threads) {
    for (const times of unwatchedTimes) {
      const startNs = Math.max(window.startNs, times.startNs);
      const endNs = Math.min(window.endNs, times.endNs);
      const lostNs = lost.within(worker, startNs - gapNs, endNs + gapNs);
      if (lostNs > gapNs || endNs - startNs <= longest.endNs - longest.startNs) continue;
      longest = { startNs, endNs };
    }
  }
  const { startNs, endNs } = longest;
  // Where there is none at all, a short run is over before the first.
  if (endNs - startNs <= (all.size > 0 ? 0 : NEVER_WATCHED.gapNs)) return [];
  return [
    `Client error unknown ${stretchText(longest, originNs)} (no canary was read); rerun`,
  ];
}

/** Returns the causes for intervals in which the threads got less CPU time than they needed. */
function stalls(
  { delays: { lost }, window, originNs, workers, cpuCores, cores }: ErrorCircumstances,
): string[] {
  const stretch = longestStretch(lostBySecond(lost, window, originNs, workers));
  const windowNs = window.endNs - window.startNs;
  const isOwnDoing = cpuCores > cores * MAX_CPU_SHARE;
  const remedy = isOwnDoing
    ? `the client itself used ${cpuCores.toFixed(1)} of ${cores} cores; ${LESS_LOAD}`
    : LEAVE_ALONE;
  const starved = (interval: string, lostShare: number): string =>
    `CPU starvation ${interval}: the client got ${percent(1 - lostShare)} of the CPU time it ` +
    `needed; ${remedy}`;
  if (stretch !== undefined && stretch.lostNs > MAX_LOST_SHARE * Math.min(SECOND_NS, windowNs)) {
    const { startNs, endNs, lostNs } = stretch;
    const share = Math.min(1, lostNs / (endNs - startNs));
    return [starved(stretchText(stretch, originNs), share)];
  }
  // Then nothing is called valid, in whichever part of the run it happened.
  return lost.share > MAX_LOST_SHARE ? [starved("over the whole run", lost.share)] : [];
}

/** An interval of time, and how much of it a load worker lost on average. */
interface LostStretch extends TimeWindow {
  readonly lostNs: number;
}

/** The seconds of a run, as far as they lie in the window. */
function lostBySecond(
  lost: LostTime,
  window: TimeWindow,
  originNs: number,
  workers: number,
): LostStretch[] {
  const seconds: LostStretch[] = [];
  for (let startNs = window.startNs; startNs < window.endNs;) {
    const second = Math.floor((startNs - originNs) / SECOND_NS) + 1;
    const endNs = Math.min(window.endNs, originNs + second * SECOND_NS);
    seconds.push({ startNs, endNs, lostNs: lost.ofAll(startNs, endNs) / workers });
    startNs = endNs;
  }
  return seconds;
}

/** Returns the interval of bad seconds in which most time was lost. */
function longestStretch(seconds: readonly LostStretch[]): LostStretch | undefined {
  let best: LostStretch | undefined;
  let current: LostStretch | undefined;
  for (const { startNs, endNs, lostNs } of seconds) {
    if (lostNs <= MAX_LOST_SHARE * (endNs - startNs)) {
      current = undefined;
      continue;
    }
    current = current === undefined
      ? { startNs, endNs, lostNs }
      : { startNs: current.startNs, endNs, lostNs: current.lostNs + lostNs };
    if (lostNs > 0 && current.lostNs > (best?.lostNs ?? 0)) best = current;
  }
  return best;
}

/** Replies came faster than they could be read. */
function piled(circumstances: ErrorCircumstances): string[] {
  const { piledMs = 0 } = circumstances;
  return piledMs < MIN_DELAY_MS ? [] : [
    `Reply backlog: replies arrived faster than they were read; their ends waited up to ` +
    `${delayText(piledMs)} (p99); ${remedyOf(circumstances)}`,
  ];
}

/** Returns the causes for read delays although the threads ran. */
function overload(circumstances: ErrorCircumstances): string[] {
  const { delays: { lost }, workers } = circumstances;
  let worst: { readonly worker: number; readonly p99Ms: number } | undefined;
  for (const [worker, { delayNs, readNs }] of delaysWithin(circumstances)) {
    if (delayNs.length < MIN_CANARIES) continue;
    const ranNs = delayNs.map((delay, at) => {
      const read = readNs[at] as number;
      return Math.max(0, delay - lost.within(worker, read - delay, read));
    });
    const p99Ms = percentile(ranNs.sort(), 99) / 1e6;
    if (p99Ms > (worst?.p99Ms ?? 0)) worst = { worker, p99Ms };
  }
  if (worst === undefined || worst.p99Ms < MIN_DELAY_MS) return [];
  const { worker, p99Ms } = worst;
  const who = workers === 1 ? "the load worker" : `load worker ${worker}`;
  return [
    `Read delay: chunks waited up to ${delayText(p99Ms)} (p99) in the socket before ${who} ` +
    `read them; ${remedyOf(circumstances)}`,
  ];
}

/** Returns the remedy that makes threads read sooner. */
function remedyOf(
  { cpuCores, cores, streams, workers, processes = 1 }: ErrorCircumstances,
): string {
  if (cpuCores > cores * MAX_CPU_SHARE) return LESS_LOAD;
  const isBusy = cpuCores > SMALL_CPU_SHARE * workers;
  // More threads would have less to do, and read no sooner.
  if (streams < FEW_STREAMS * workers && !isBusy) return LEAVE_ALONE;
  // Where more of them than cores help, as streams are many, they are the default.
  if (workers >= cores) return LESS_LOAD;
  // The option is about one process.
  const most = Math.ceil(cores / processes);
  const each = Math.max(Math.ceil(workers / processes), 1);
  return `use --workers ${Math.min(2 * each, most)}, or reduce the load`;
}

function otherwise(circumstances: ErrorCircumstances): string {
  const canaries = delaysWithin(circumstances).reduce(
    (sum, [, { readNs }]) => sum + readNs.length,
    0,
  );
  if (canaries < MIN_CANARIES) {
    return "Too few canary samples to bound the client error; increase --request-count";
  }
  const short = "Latencies are small relative to the client error";
  return canaries < MANY_CANARIES
    ? `${short}, or the sample is too small; increase --request-count`
    : `${short}; use an idle or a faster machine`;
}

/** The canaries of each load worker that were read in the window. */
function delaysWithin({ delays: { all }, window: { startNs, endNs } }: ErrorCircumstances) {
  return [...all].map(([worker, { delayNs, readNs }]) => {
    const [from, to] = [lowerBound(readNs, startNs), upperBound(readNs, endNs)];
    return [
      worker,
      { delayNs: delayNs.subarray(from, to), readNs: readNs.subarray(from, to) },
    ] as const;
  });
}

/** Returns an interval in seconds of the run, with enough digits to distinguish its ends. */
function stretchText({ startNs, endNs }: TimeWindow, originNs: number): string {
  const seconds = (endNs - startNs) / SECOND_NS;
  const digits = Math.min(MAX_DIGITS, 1 + Math.max(0, Math.ceil(-Math.log10(seconds))));
  const text = (ns: number): string => `${Number(((ns - originNs) / SECOND_NS).toFixed(digits))} s`;
  return `from ${text(startNs)} to ${text(endNs)}`;
}

function delayText(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

function percent(share: number): string {
  return `${Math.round(Math.max(0, share) * 100)} %`;
}
