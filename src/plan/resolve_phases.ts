import {
  ARRIVAL_PATTERN,
  CLOSED_LOOP_CONCURRENCY,
  MIN_REQUEST_COUNT,
  SMOOTHNESS,
} from "../options/computed_defaults.ts";
import type { ProfileSettings } from "../options/profile_options.ts";
import type { ArrivalPattern, LoadPlan, PhasePlan } from "./run_plan.ts";
import { UsageError } from "../options/usage_error.ts";

/**
 * The phases of a run: warm-up if it is requested, and profiling.
 * @param isSchedule whether requests are sent at the times of the input file
 */
export function resolvePhases(settings: ProfileSettings, isSchedule = false): PhasePlan[] {
  const { concurrency, requestRate, arrivalPattern, arrivalSmoothness } = settings;
  if (arrivalSmoothness !== undefined && (arrivalPattern ?? "gamma") !== "gamma") {
    throw new UsageError(
      "--arrival-smoothness",
      `Needs --arrival-pattern gamma: got ${arrivalPattern}`,
    );
  }
  // A schedule has an end of its own.
  const counts = isSchedule
    ? limits(settings, settings.requestCount, settings.numSessions)
    : countsOf(settings);
  const profiling: PhasePlan = {
    kind: "profiling",
    load: isSchedule
      ? scheduleLoad(concurrency)
      : loadOf({ concurrency, requestRate, arrivalPattern, arrivalSmoothness, counts }),
    ...counts,
    durationNs: nanoseconds(settings.benchmarkDuration),
    graceNs: settings.benchmarkDuration === undefined
      ? Infinity
      : nanoseconds(settings.benchmarkGracePeriod),
  };
  const warmup = warmupPhase(settings);
  return warmup === undefined ? [profiling] : [warmup, profiling];
}

function warmupPhase(settings: ProfileSettings): PhasePlan | undefined {
  const { numWarmupSessions, warmupRequestCount, warmupDuration } = settings;
  const bounds = [numWarmupSessions, warmupRequestCount, warmupDuration];
  if (bounds.every((bound) => bound === undefined)) return undefined;
  const counts = limits(settings, warmupRequestCount, numWarmupSessions);
  return {
    kind: "warmup",
    load: loadOf({
      concurrency: settings.warmupConcurrency ?? settings.concurrency,
      requestRate: settings.warmupRequestRate ?? settings.requestRate,
      arrivalPattern: settings.warmupArrivalPattern ?? settings.arrivalPattern,
      arrivalSmoothness: settings.arrivalSmoothness,
      counts,
    }),
    ...counts,
    durationNs: nanoseconds(warmupDuration),
    graceNs: nanoseconds(settings.warmupGracePeriod),
  };
}

/** What the load of a phase follows from. */
interface LoadSettings {
  readonly concurrency: number | undefined;
  readonly requestRate: number | undefined;
  readonly arrivalPattern: ArrivalPattern | undefined;
  readonly arrivalSmoothness: number | undefined;
  readonly counts: PhaseCounts;
}

function loadOf(
  { concurrency, requestRate, arrivalPattern, arrivalSmoothness, counts }: LoadSettings,
): LoadPlan {
  if (requestRate === undefined) {
    return { loop: "closed", concurrency: concurrency ?? CLOSED_LOOP_CONCURRENCY };
  }
  if (requestRate === Infinity) return fullLoad(concurrency ?? sessionLimit(counts));
  return {
    loop: "open",
    ratePerSecond: requestRate,
    arrivalPattern: arrivalPattern ??
      (arrivalSmoothness === undefined ? ARRIVAL_PATTERN : "gamma"),
    smoothness: arrivalSmoothness ?? SMOOTHNESS,
    concurrency: concurrency ?? Infinity,
  };
}

/** Arrivals at the times of the input file. */
function scheduleLoad(concurrency = Infinity): LoadPlan {
  return {
    loop: "open",
    ratePerSecond: 0,
    isSchedule: true,
    arrivalPattern: ARRIVAL_PATTERN,
    smoothness: SMOOTHNESS,
    concurrency,
  };
}

/** All arrivals are due at once: a request is sent whenever there is room for one. */
function fullLoad(concurrency: number): LoadPlan {
  if (concurrency < Infinity) return { loop: "closed", concurrency };
  throw new UsageError("--request-rate", "inf needs --concurrency or a number of requests");
}

/** Whether synthetic prompts are conversations of several turns. */
export function hasTurns(
  { inputFile, sessionTurnsMean, sessionTurnsStddev }: ProfileSettings,
): boolean {
  return inputFile === undefined && (sessionTurnsMean > 1 || sessionTurnsStddev > 0);
}

/** Sessions that a phase begins at most: each sends one request at least. */
export function sessionLimit({ requestCount, sessionCount = Infinity }: PhaseCounts): number {
  return Math.min(requestCount, sessionCount);
}

type PhaseCounts = Pick<PhasePlan, "requestCount" | "sessionCount">;

function countsOf(settings: ProfileSettings): PhaseCounts {
  const { requestCount, numSessions, benchmarkDuration, concurrency } = settings;
  if (requestCount !== undefined || numSessions !== undefined || benchmarkDuration !== undefined) {
    return limits(settings, requestCount, numSessions);
  }
  const usual = Math.max(MIN_REQUEST_COUNT, 2 * (concurrency ?? CLOSED_LOOP_CONCURRENCY));
  // A number of requests would end sessions in their midst.
  return hasTurns(settings)
    ? limits(settings, undefined, usual)
    : limits(settings, usual, undefined);
}

/** Where a session is one request, its number is a number of requests. */
function limits(
  settings: ProfileSettings,
  requestCount = Infinity,
  sessionCount = Infinity,
): PhaseCounts {
  const isOneEach = settings.inputFile === undefined && !hasTurns(settings);
  if (isOneEach) return { requestCount: Math.min(requestCount, sessionCount) };
  return { requestCount, ...(sessionCount < Infinity ? { sessionCount } : {}) };
}

function nanoseconds(seconds: number | undefined): number {
  return seconds === undefined ? Infinity : Math.round(seconds * 1e9);
}
