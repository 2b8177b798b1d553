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
  const profiling: PhasePlan = {
    kind: "profiling",
    load: loadOf(settings, settings.concurrency, settings.requestRate, settings.arrivalPattern),
    requestCount: requestCountOf(settings),
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
  return {
    kind: "warmup",
    load: loadOf(
      settings,
      settings.warmupConcurrency ?? settings.concurrency,
      settings.warmupRequestRate ?? settings.requestRate,
      settings.warmupArrivalPattern ?? settings.arrivalPattern,
    ),
    requestCount: warmupRequestCount ?? Infinity,
    durationNs: nanoseconds(warmupDuration),
    graceNs: nanoseconds(settings.warmupGracePeriod),
  };
}

function loadOf(
  settings: ProfileSettings,
  concurrency: number | undefined,
  ratePerSecond: number | undefined,
  pattern: ArrivalPattern | undefined,
): LoadPlan {
  if (ratePerSecond === undefined) {
    return { loop: "closed", concurrency: concurrency ?? CLOSED_LOOP_CONCURRENCY };
  }
  const { arrivalSmoothness } = settings;
  const arrivalPattern = pattern ?? (arrivalSmoothness === undefined ? ARRIVAL_PATTERN : "gamma");
  if (arrivalSmoothness !== undefined && arrivalPattern !== "gamma") {
    throw new UsageError(
      "--arrival-smoothness",
      `Needs --arrival-pattern gamma: got ${arrivalPattern}`,
    );
  }
  return {
    loop: "open",
    ratePerSecond,
    arrivalPattern,
    smoothness: arrivalSmoothness ?? SMOOTHNESS,
    concurrency: concurrency ?? Infinity,
  };
}

function requestCountOf({ requestCount, benchmarkDuration, concurrency }: ProfileSettings): number {
  if (requestCount !== undefined) return requestCount;
  if (benchmarkDuration !== undefined) return Infinity;
  return Math.max(MIN_REQUEST_COUNT, 2 * (concurrency ?? CLOSED_LOOP_CONCURRENCY));
}

function nanoseconds(seconds: number | undefined): number {
  return seconds === undefined ? Infinity : Math.round(seconds * 1e9);
}
