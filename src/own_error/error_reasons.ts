import { lowerBound, upperBound } from "../statistics/search_sorted.ts";
import { percentile } from "../statistics/percentile.ts";
import type { TimeWindow } from "../statistics/sample_window.ts";
import type { DelaysByKind } from "./delays_by_kind.ts";
import type { ErrorVerdict } from "./measurement_error.ts";

/** A second in which threads stood still for a larger share than this is reported. */
const MIN_LOST_SHARE = 0.1;
/** Above this share of all cores the client itself is the load on the machine. */
const MAX_CPU_SHARE = 0.8;
/** Canaries from which a delay can be told. */
const MIN_CANARIES = 10;
/** Shorter delays are not worth a sentence. */
const MIN_DELAY_MS = 2;
/** A thread that has fewer streams, and needs less of a core, is not what keeps them waiting. */
const FEW_STREAMS = 16;
const SMALL_CPU_SHARE = 0.5;

/** What to do where something else had the machine. */
const LEAVE_ALONE = "use an idle machine, or move what else runs on this one";

/** What the causes of an error are found from. */
export interface ErrorCircumstances {
  readonly verdict: ErrorVerdict;
  readonly delays: DelaysByKind;
  /** The profiling phase, or a part of it, on the run's clock. */
  readonly window: TimeWindow;
  /** When the profiling phase began: seconds are counted from it. */
  readonly originNs: number;
  readonly workers: number;
  /** Requests in flight, on the average; NaN if that is not known. */
  readonly streams: number;
  /** CPU time of this process over the phase, in cores; NaN if it was not measured. */
  readonly cpuCores: number;
  readonly cores: number;
}

/** Why the client's own error is what it is, and what to do about it: a sentence for each cause. */
export function errorReasons(circumstances: ErrorCircumstances): string[] {
  if (circumstances.verdict === "valid") return [];
  const reasons = [...standstills(circumstances), ...overload(circumstances)];
  return reasons.length > 0 ? reasons : [otherwise(circumstances)];
}

/** Stretches in which the threads got less time than they asked for. */
function standstills(
  { delays: { lost }, window, originNs, workers, cpuCores, cores }: ErrorCircumstances,
): string[] {
  const first = Math.floor((window.startNs - originNs) / 1e9);
  const end = Math.max(first + 1, Math.ceil((window.endNs - originNs) / 1e9));
  const shares = Float64Array.from({ length: end - first }, (_, at) => {
    const startNs = originNs + (first + at) * 1e9;
    return lost.ofAll(startNs, startNs + 1e9) / 1e9 / workers;
  });
  const stretch = longestStretch(shares);
  if (stretch === undefined) return [];
  const { from, to, share } = stretch;
  const isOwnDoing = cpuCores > cores * MAX_CPU_SHARE;
  const remedy = isOwnDoing
    ? `this process itself used ${cpuCores.toFixed(1)} of ${cores} cores: use a larger machine, ` +
      `or less load`
    : LEAVE_ALONE;
  return [
    `The machine gave this process only ${percent(1 - share)} of the time it asked for between ` +
    `${first + from} s and ${first + to} s: ${remedy}`,
  ];
}

/** The stretch of bad seconds in which most time was lost. */
function longestStretch(
  lost: Float64Array,
): { from: number; to: number; share: number } | undefined {
  let best: { from: number; to: number; share: number } | undefined;
  for (let from = 0; from < lost.length; from++) {
    let sum = 0;
    for (let to = from; to < lost.length && (lost[to] as number) > MIN_LOST_SHARE; to++) {
      sum += lost[to] as number;
      if (best === undefined || sum > best.share * (best.to - best.from)) {
        best = { from, to: to + 1, share: Math.min(1, sum / (to + 1 - from)) };
      }
    }
  }
  return best;
}

/** Chunks lay unread although the threads ran. */
function overload(circumstances: ErrorCircumstances): string[] {
  const { delays: { lost }, workers } = circumstances;
  const reasons: string[] = [];
  for (const [worker, { delayNs, readNs }] of delaysWithin(circumstances)) {
    if (delayNs.length < MIN_CANARIES) continue;
    const ranNs = delayNs.map((delay, at) => {
      const read = readNs[at] as number;
      return Math.max(0, delay - lost.within(worker, read - delay, read));
    });
    const p99Ms = percentile(ranNs.sort(), 99) / 1e6;
    if (p99Ms < MIN_DELAY_MS) continue;
    const who = workers === 1 ? "the load worker" : `load worker ${worker}`;
    reasons.push(
      `Chunks lay unread for up to ${p99Ms.toFixed(p99Ms < 10 ? 1 : 0)} ms (p99) before ${who} ` +
        `read them: ${remedyOf(circumstances)}`,
    );
  }
  return reasons.slice(0, 1);
}

/** What makes threads read sooner. */
function remedyOf({ cpuCores, cores, streams, workers }: ErrorCircumstances): string {
  if (cpuCores > cores * MAX_CPU_SHARE) return "use a larger machine, or less load";
  const isBusy = cpuCores > SMALL_CPU_SHARE * workers;
  // More threads would have less to do, and read no sooner.
  if (streams < FEW_STREAMS * workers && !isBusy) return LEAVE_ALONE;
  return `use --workers ${Math.max(workers * 2, 2)}, or fewer streams`;
}

function otherwise(circumstances: ErrorCircumstances): string {
  const canaries = delaysWithin(circumstances).reduce(
    (sum, [, { readNs }]) => sum + readNs.length,
    0,
  );
  return canaries < MIN_CANARIES
    ? "The run was too short to tell the client's own error closely: send more requests"
    : "The times measured are short against the client's own error, or requests are few: " +
      "send more requests";
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

function percent(share: number): string {
  return `${Math.round(Math.max(0, share) * 100)} %`;
}
