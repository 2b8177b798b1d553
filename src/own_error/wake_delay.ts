import { CANARY_KIND } from "../canary/canary_kind.ts";
import type { CanaryLog } from "../canary/canary_log.ts";
import { percentile } from "../statistics/percentile.ts";
import { summarizeSorted } from "../statistics/summarize.ts";

/** What is later than this stood still, which is told elsewhere. */
const STOOD_NS = 10e6;
/** No more is taken for usual. */
const MAX_USUAL_NS = 1e6;
/** Where nothing else runs, a thread that keeps up wakes this much late on average at most. */
const CONTENDED_NS = 0.15e6;
/** Where half of the canaries are read sooner than this, the thread that reads them mostly slept. */
const ASLEEP_MS = 0.15;

/** How late the threads of this machine that sleep wake, beyond what they always take. */
export interface WakeDelay {
  readonly meanNs: number;
  readonly deviationNs: number;
  /** Times at which that was seen. */
  readonly count: number;
}

/**
 * Finds how late threads wake. A core's time goes to others in slices of some milliseconds: where they
 * use all of it, who was just awake goes on at once, and who slept may wait for the end of a slice. Load
 * workers are woken for canaries by a thread that just was, and for chunks by one that need not be, so
 * that canaries do not tell; but the thread that writes them at random instants wakes late itself. With
 * one stream beside three programs that count on two cores, of 40 such instants 1 to 16 came more than
 * 1 ms late, and up to one in seven first tokens; with one such program or none, none or one.
 */
export function wakeDelay(canaries: CanaryLog): WakeDelay {
  const [kinds, intendedNs, writtenNs] = [
    canaries.column(0),
    canaries.column(1),
    canaries.column(2),
  ];
  const lateNs = writtenNs
    .map((written, row) => written - (intendedNs[row] as number))
    .filter((late, row) => kinds[row] === CANARY_KIND.poisson && late >= 0 && late <= STOOD_NS)
    .sort();
  const count = lateNs.length;
  if (count < 2) return { meanNs: 0, deviationNs: 0, count };
  const usualNs = percentile(lateNs, 50);
  const beyondNs = lateNs.map((late) => Math.max(0, late - usualNs));
  const { avg, std } = summarizeSorted(beyondNs, { ddof: 1 });
  return { meanNs: avg, deviationNs: std, count };
}

/**
 * By how much a thread can have been late on average.
 * @param wakings how often it was woken
 * @returns the mean, and two standard errors of the difference of two such means
 */
export function usualWakeNs({ meanNs, deviationNs, count }: WakeDelay, wakings: number): number {
  if (count === 0) return 0;
  const errorNs = deviationNs * Math.sqrt(1 / count + 1 / wakings);
  return Math.min(MAX_USUAL_NS, meanNs + 2 * errorNs);
}

/**
 * By how much chunks can have come later than canaries tell, as other programs use the cores and the
 * thread that reads slept. Of 72 runs of 4 to 100 streams beside two to five such programs on two cores,
 * TTFT's average and median lay within their bounds in 67 and 68 without that, and one median was called
 * valid that was 6.7 % off; in 72 and 71 with it, and none.
 *
 * @param medianMs of the canaries that stand for the chunks
 * @param wakings how often the thread was woken for them
 */
export function untoldWakeMs(wake: WakeDelay, medianMs: number, wakings: number): number {
  const isContended = wake.meanNs > CONTENDED_NS && medianMs < ASLEEP_MS;
  return isContended ? usualWakeNs(wake, wakings) / 1e6 : 0;
}
