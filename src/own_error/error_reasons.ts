import { CANARY_KIND, MESSAGE_KINDS } from "../canary/canary_kind.ts";
import type { CanaryLog } from "../canary/canary_log.ts";
import { percentile } from "../statistics/percentile.ts";
import type { TimeWindow } from "../statistics/sample_window.ts";
import { canaryDelays } from "./canary_delays.ts";
import type { ErrorVerdict } from "./measurement_error.ts";

/** A second in which threads stood still for a larger share than this is reported. */
const MIN_LOST_SHARE = 0.1;
/** Above this share of all cores the client itself is the load on the machine. */
const MAX_CPU_SHARE = 0.8;
/** Canaries from which a delay can be told. */
const MIN_CANARIES = 10;

/** What the causes of an error are found from. */
export interface ErrorCircumstances {
  readonly verdict: ErrorVerdict;
  readonly canaries: CanaryLog;
  /** The profiling phase on the run's clock. */
  readonly window: TimeWindow;
  readonly workers: number;
  /** CPU time of this process over the phase, in cores; NaN if it was not measured. */
  readonly cpuCores: number;
  readonly cores: number;
}

/** Why the client's own error is what it is, and what to do about it: a sentence for each cause. */
export function errorReasons(circumstances: ErrorCircumstances): string[] {
  if (circumstances.verdict === "valid") return [];
  const reasons = [...lostTime(circumstances), ...overload(circumstances)];
  return reasons.length > 0 ? reasons : [otherwise(circumstances)];
}

/** Stretches in which the threads got less time than they asked for. */
function lostTime({ canaries, window, workers, cpuCores, cores }: ErrorCircumstances): string[] {
  const seconds = Math.max(1, Math.ceil((window.endNs - window.startNs) / 1e9));
  const lost = new Float64Array(seconds);
  const [kinds, starts, ends] = [canaries.column(0), canaries.column(1), canaries.column(3)];
  kinds.forEach((kind, row) => {
    if (kind !== CANARY_KIND.stall) return;
    const endSecond = ((ends[row] as number) - window.startNs) / 1e9;
    let from = Math.max(0, ((starts[row] as number) - window.startNs) / 1e9);
    while (from < Math.min(endSecond, seconds)) {
      const second = Math.floor(from);
      const to = Math.min(endSecond, second + 1);
      lost[second] = (lost[second] as number) + (to - from) / workers;
      from = to;
    }
  });
  const stretch = longestStretch(lost);
  if (stretch === undefined) return [];
  const { from, to, share } = stretch;
  const isOwnDoing = cpuCores > cores * MAX_CPU_SHARE;
  const remedy = isOwnDoing
    ? `this process itself used ${cpuCores.toFixed(1)} of ${cores} cores: use a larger machine, ` +
      `or less load`
    : `use an idle machine, or move what else runs on this one`;
  return [
    `The machine gave this process only ${percent(1 - share)} of the time it asked for between ` +
    `${from} s and ${to} s: ${remedy}`,
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
function overload({ canaries, workers, cpuCores, cores }: ErrorCircumstances): string[] {
  const reasons: string[] = [];
  for (const [worker, { delayNs }] of canaryDelays(canaries, MESSAGE_KINDS)) {
    if (delayNs.length < MIN_CANARIES) continue;
    const p99Ms = percentile(delayNs.slice().sort(), 99) / 1e6;
    if (p99Ms < 2) continue;
    const who = workers === 1 ? "the load worker" : `load worker ${worker}`;
    const remedy = cpuCores > cores * MAX_CPU_SHARE
      ? "use a larger machine, or less load"
      : `use --workers ${Math.max(workers * 2, 2)}, or fewer streams`;
    reasons.push(
      `Chunks lay unread for up to ${p99Ms.toFixed(p99Ms < 10 ? 1 : 0)} ms (p99) before ${who} ` +
        `read them: ${remedy}`,
    );
  }
  return reasons.slice(0, 1);
}

function otherwise({ canaries }: ErrorCircumstances): string {
  return canaries.length < MIN_CANARIES
    ? "The run was too short to tell the client's own error closely: send more requests"
    : "The times measured are short against the client's own error, or requests are few: " +
      "send more requests";
}

function percent(share: number): string {
  return `${Math.round(Math.max(0, share) * 100)} %`;
}
