import {
  ARRIVAL_PATTERN,
  CLOSED_LOOP_CONCURRENCY,
  MIN_REQUEST_COUNT,
  SMOOTHNESS,
} from "../options/computed_defaults.ts";
import type { ProfileSettings } from "../options/profile_options.ts";
import type { ArrivalPattern, LoadPlan, PhasePlan } from "./run_plan.ts";
import { UsageError } from "../options/usage_error.ts";

/** The phases of a run: warm-up if it is requested, and profiling. */
export function resolvePhases(settings: ProfileSettings): PhasePlan[] {
  const { concurrency, requestRate, arrivalPattern, arrivalSmoothness } = settings;
  if (arrivalSmoothness !== undefined && (arrivalPattern ?? "gamma") !== "gamma") {
    throw new UsageError(
      "--arrival-smoothness",
      `Needs --arrival-pattern gamma: got ${arrivalPattern}`,
    );
  }
  const requestCount = requestCountOf(settings);
  const profiling: PhasePlan = {
    kind: "profiling",
    load: loadOf({ concurrency, requestRate, arrivalPattern, arrivalSmoothness, requestCount }),
    requestCount,
    durationNs: nanoseconds(settings.benchmarkDuration),
    graceNs: settings.benchmarkDuration === undefined
      ? Infinity
      : nanoseconds(settings.benchmarkGracePeriod),
  };
  const warmup = warmupPhase(settings);
  return warmup === undefined ? [profiling] : [warmup, profiling];
}

function warmupPhase(settings: ProfileSettings): PhasePlan | undefined {
  const { warmupRequestCount, warmupDuration } = settings;
  if (warmupRequestCount === undefined && warmupDuration === undefined) return undefined;
  const requestCount = warmupRequestCount ?? Infinity;
  return {
    kind: "warmup",
    load: loadOf({
      concurrency: settings.warmupConcurrency ?? settings.concurrency,
      requestRate: settings.warmupRequestRate ?? settings.requestRate,
      arrivalPattern: settings.warmupArrivalPattern ?? settings.arrivalPattern,
      arrivalSmoothness: settings.arrivalSmoothness,
      requestCount,
    }),
    requestCount,
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
  readonly requestCount: number;
}

function loadOf(
  { concurrency, requestRate, arrivalPattern, arrivalSmoothness, requestCount }: LoadSettings,
): LoadPlan {
  if (requestRate === undefined) {
    return { loop: "closed", concurrency: concurrency ?? CLOSED_LOOP_CONCURRENCY };
  }
  if (requestRate === Infinity) return fullLoad(concurrency ?? requestCount);
  return {
    loop: "open",
    ratePerSecond: requestRate,
    arrivalPattern: arrivalPattern ??
      (arrivalSmoothness === undefined ? ARRIVAL_PATTERN : "gamma"),
    smoothness: arrivalSmoothness ?? SMOOTHNESS,
    concurrency: concurrency ?? Infinity,
  };
}

/** All arrivals are due at once: a request is sent whenever there is room for one. */
function fullLoad(concurrency: number): LoadPlan {
  if (concurrency < Infinity) return { loop: "closed", concurrency };
  throw new UsageError("--request-rate", "inf needs --concurrency or a number of requests");
}

function requestCountOf({ requestCount, benchmarkDuration, concurrency }: ProfileSettings): number {
  if (requestCount !== undefined) return requestCount;
  if (benchmarkDuration !== undefined) return Infinity;
  return Math.max(MIN_REQUEST_COUNT, 2 * (concurrency ?? CLOSED_LOOP_CONCURRENCY));
}

function nanoseconds(seconds: number | undefined): number {
  return seconds === undefined ? Infinity : Math.round(seconds * 1e9);
}
