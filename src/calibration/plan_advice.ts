import type { Calibration } from "./calibration.ts";
import type { Limit } from "./limits.ts";
import { VALID_SHARE } from "./trial.ts";

/** Load of a plan. */
export interface PlannedLoad {
  /** Most requests in flight; Infinity if nothing limits them. */
  readonly concurrency: number;
  /** Requests per second of an arrival process; undefined without one. */
  readonly ratePerSecond: number | undefined;
}

/**
 * The number of workers for a plan: the usual one if the machine can measure the plan with it, else
 * the one with which it can measure most.
 */
export function calibratedWorkers(
  calibration: Calibration,
  load: PlannedLoad,
  usual: number,
): number {
  const limit = limitFor(calibration, usual);
  if (limit === undefined || covers(limit, load)) return usual;
  const { workers, ...best } = mostOf(calibration, load);
  return capacity(best, load) > capacity(limit, load) ? workers : usual;
}

/** A sentence if this machine cannot measure a plan to within 5 %; undefined if it can. */
export function measurabilityWarning(
  calibration: Calibration,
  load: PlannedLoad,
  workers: number,
): string | undefined {
  const limit = limitFor(calibration, workers);
  if (limit === undefined || covers(limit, load)) return undefined;
  const best = mostOf(calibration, load);
  const remedy = best.workers !== workers && capacity(best, load) > capacity(limit, load)
    ? `use --workers ${best.workers}, another machine`
    : "use another machine";
  const [unit, wanted] = isRate(load)
    ? ["requests/s", load.ratePerSecond]
    : ["streams", load.concurrency];
  const most = Math.round(capacity(limit, load));
  const reach = most === 0 ? `with no number of ${unit}` : `up to ${most} ${unit}`;
  const threads = workers === 1 ? "one worker" : `${workers} workers`;
  return `With ${threads} this machine measured TTFT within ${VALID_SHARE * 100} % ${reach} ` +
    `(calibrated ${calibration.date.slice(0, 10)}): the plan has ${wanted}; ${remedy}, or expect ` +
    "a suspect verdict";
}

/** The limit of TTFT for a number of workers, or for the next smaller one that was tried. */
function limitFor({ limits }: Calibration, workers: number): Limit | undefined {
  return validLimits(limits).filter((limit) => limit.workers <= workers)
    .sort((a, b) => b.workers - a.workers)[0];
}

/** The limit that reaches furthest, with the fewest workers. */
function mostOf({ limits }: Calibration, load: PlannedLoad): Limit {
  return validLimits(limits).sort((a, b) =>
    Number(capacity(b, load) > capacity(a, load)) - Number(capacity(b, load) < capacity(a, load)) ||
    a.workers - b.workers
  )[0] as Limit;
}

function validLimits(limits: readonly Limit[]): Limit[] {
  return limits.filter(({ metric, share }) => metric === "ttft" && share === VALID_SHARE);
}

function covers(limit: Limit, load: PlannedLoad): boolean {
  const wanted = isRate(load) ? load.ratePerSecond : load.concurrency;
  return limit.isOpen || (wanted ?? 0) <= capacity(limit, load);
}

function capacity(
  { streams, requestsPerSecond }: Pick<Limit, "streams" | "requestsPerSecond">,
  load: PlannedLoad,
): number {
  return isRate(load) ? requestsPerSecond : streams;
}

/** Without a limit of requests in flight, only their rate says how many there will be. */
function isRate({ concurrency, ratePerSecond }: PlannedLoad): boolean {
  return concurrency === Infinity && ratePerSecond !== undefined;
}
