import { chosen } from "../options/check_options.ts";
import type { ProfileOptions } from "../options/profile_types.ts";
import type { ArrivalPattern, LoadPlan, PhasePlan } from "./run_plan.ts";
import { UsageError } from "../options/usage_error.ts";

/** Seconds that running requests get after a benchmark duration. */
const DEFAULT_GRACE_SECONDS = 30;
/** Requests of a run that nothing else bounds, at least. */
const MIN_REQUEST_COUNT = 10;
const PATTERNS: readonly ArrivalPattern[] = ["poisson", "constant", "gamma"];

/** The phases of a run: warm-up if it is asked for, and profiling. */
export function resolvePhases(options: ProfileOptions): PhasePlan[] {
  const profiling: PhasePlan = {
    kind: "profiling",
    load: loadOf(options, options.concurrency, options.requestRate, options.arrivalPattern),
    requestCount: requestCountOf(options),
    durationNs: nanoseconds(options.benchmarkDuration),
    graceNs: options.benchmarkDuration === undefined
      ? Infinity
      : nanoseconds(options.benchmarkGracePeriod ?? DEFAULT_GRACE_SECONDS),
  };
  const warmup = warmupPhase(options);
  return warmup === undefined ? [profiling] : [warmup, profiling];
}

function warmupPhase(options: ProfileOptions): PhasePlan | undefined {
  const { warmupRequestCount, warmupDuration } = options;
  if (warmupRequestCount === undefined && warmupDuration === undefined) return undefined;
  return {
    kind: "warmup",
    load: loadOf(
      options,
      options.warmupConcurrency ?? options.concurrency,
      options.warmupRequestRate ?? options.requestRate,
      options.warmupArrivalPattern ?? options.arrivalPattern,
    ),
    requestCount: warmupRequestCount ?? Infinity,
    durationNs: nanoseconds(warmupDuration),
    graceNs: nanoseconds(options.warmupGracePeriod),
  };
}

function loadOf(
  options: ProfileOptions,
  concurrency: number | undefined,
  ratePerSecond: number | undefined,
  pattern: string | undefined,
): LoadPlan {
  if (ratePerSecond === undefined) return { loop: "closed", concurrency: concurrency ?? 1 };
  const { arrivalSmoothness } = options;
  const arrivalPattern = chosen(
    "arrivalPattern",
    pattern,
    PATTERNS,
    arrivalSmoothness === undefined ? "poisson" : "gamma",
  );
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
    smoothness: arrivalSmoothness ?? 1,
    concurrency: concurrency ?? Infinity,
  };
}

function requestCountOf({ requestCount, benchmarkDuration, concurrency }: ProfileOptions): number {
  if (requestCount !== undefined) return requestCount;
  if (benchmarkDuration !== undefined) return Infinity;
  return Math.max(MIN_REQUEST_COUNT, 2 * (concurrency ?? 1));
}

function nanoseconds(seconds: number | undefined): number {
  return seconds === undefined ? Infinity : Math.round(seconds * 1e9);
}
