import type { Calibration } from "./calibration.ts";
import type { Limit } from "./limits.ts";
import { MAX_STREAMS, VALID_SHARE } from "./trial.ts";

/** Load of a plan. */
export interface PlannedLoad {
  /** Most requests in flight; Infinity if nothing limits them. */
  readonly concurrency: number;
  /** Requests per second of an arrival process; undefined without one. */
  readonly ratePerSecond: number | undefined;
}

/** Multiple of the load of a trial within 5 % beyond which that trial is not evidence. */
const MAX_TRUSTED = 2;

/**
 * The number of workers for a plan: the usual one if the machine can measure the plan with it, else
 * the one with which it can measure most.
 */
export function calibratedWorkers(
  calibration: Calibration,
  load: PlannedLoad,
  usual: number,
): number {
  const limit = limitFor(calibration, load, usual);
  if (limit === undefined || covers(limit, load)) return usual;
  const best = mostOf(calibration, load);
  return reachesFurther(best, limit, load) ? best.workers : usual;
}

/**
 * A sentence if this machine cannot measure a plan to within 5 %, or if nothing near the plan was
 * tried; undefined if it can.
 */
export function measurabilityWarning(
  calibration: Calibration,
  load: PlannedLoad,
  workers: number,
): string | undefined {
  const limit = limitFor(calibration, load, workers);
  if (limit === undefined) return undefined;
  const most = Math.round(capacity(limit, load));
  const unit = isRate(load) ? "requests/s" : "streams";
  const plan = `the plan has ${wantedOf(load)}`;
  // The next smaller number that was tried says what this one reaches at least.
  const threads = threadsText(limit.workers) +
    (limit.workers === workers ? "" : ` (more were not tried; the plan has ${workers})`);
  const date = calibration.date.slice(0, 10);
  if (covers(limit, load)) {
    if (wantedOf(load) <= MAX_TRUSTED * most) return undefined;
    const remedy = limit.streams < MAX_STREAMS
      ? "; inferometer calibrate with a longer --budget tries more"
      : "";
    return `With ${threads} this machine was calibrated up to ${most} ${unit} (${date}): ` +
      `${plan}, of which that says nothing${remedy}`;
  }
  const best = mostOf(calibration, load);
  const remedy = best.workers !== workers && reachesFurther(best, limit, load)
    ? `use --workers ${best.workers}, another machine`
    : "use another machine";
  const reach = most === 0 ? `with no number of ${unit}` : `up to ${most} ${unit}`;
  return `With ${threads} this machine measured ${limit.metric.toUpperCase()} within ` +
    `${VALID_SHARE * 100} % ${reach} (calibrated ${date}): ${plan}; ${remedy}, or expect a ` +
    "suspect verdict";
}

function threadsText(workers: number): string {
  return workers === 1 ? "one worker" : `${workers} workers`;
}

/** The limit for a number of workers, or for the next smaller one that was tried. */
function limitFor(
  calibration: Calibration,
  load: PlannedLoad,
  workers: number,
): Limit | undefined {
  return limitsByWorkers(calibration, load).filter((limit) => limit.workers <= workers)
    .sort((a, b) => b.workers - a.workers)[0];
}

/** The limit that reaches furthest, with the fewest workers. */
function mostOf(calibration: Calibration, load: PlannedLoad): Limit {
  return limitsByWorkers(calibration, load).sort((a, b) =>
    Number(reachesFurther(b, a, load)) - Number(reachesFurther(a, b, load)) || a.workers - b.workers
  )[0] as Limit;
}

/** Whether a limit is higher than another; at equal load, one that was not reached is higher. */
function reachesFurther(a: Limit, b: Limit, load: PlannedLoad): boolean {
  const [ofA, ofB] = [capacity(a, load), capacity(b, load)];
  return ofA > ofB || ofA === ofB && a.isOpen && !b.isOpen;
}

/** For each number of workers that of TTFT and ITL which is the first to be off. */
function limitsByWorkers({ limits }: Calibration, load: PlannedLoad): Limit[] {
  const valid = limits.filter(({ share }) => share === VALID_SHARE);
  return [...Map.groupBy(valid, ({ workers }) => workers).values()].map((ofMetrics) =>
    ofMetrics.reduce((least, limit) => {
      if (least.isOpen !== limit.isOpen) return least.isOpen ? limit : least;
      return capacity(limit, load) < capacity(least, load) ? limit : least;
    })
  );
}

function covers(limit: Limit, load: PlannedLoad): boolean {
  return limit.isOpen || wantedOf(load) <= capacity(limit, load);
}

function wantedOf(load: PlannedLoad): number {
  return (isRate(load) ? load.ratePerSecond : load.concurrency) ?? 0;
}

function capacity(
  { streams, requestsPerSecond }: Limit,
  load: PlannedLoad,
): number {
  return isRate(load) ? requestsPerSecond : streams;
}

/**
 * Whether the load is given by its rate: without a concurrency limit, only the rate determines the
 * requests in flight.
 */
function isRate({ concurrency, ratePerSecond }: PlannedLoad): boolean {
  return concurrency === Infinity && ratePerSecond !== undefined;
}
