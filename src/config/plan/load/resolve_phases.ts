import {
  AIPERF_MIN_REQUEST_COUNT,
  AIPERF_REQUESTS_PER_SLOT,
  ARRIVAL_PATTERN,
  CLOSED_LOOP_CONCURRENCY,
  MIN_REQUEST_COUNT,
  RAMP_STEPS,
  REQUESTS_PER_SLOT,
  SMOOTHNESS,
} from "../../options/profile/computed_defaults.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import type { LoadPlan, PhasePlan, PrefillPlan, RampPlan, RatePoint } from "../run_plan.ts";
import { UsageError } from "../../options/usage_error.ts";

type ArrivalChoice = NonNullable<ProfileSettings["arrivalPattern"]>;

/** Inputs of phases in addition to the options. */
export interface PhaseInputs {
  /** The points of `--request-rate-series`, which may have been in a file. */
  readonly series?: readonly RatePoint[] | undefined;
  /** Whether requests are sent at the times of the input file. */
  readonly isSchedule?: boolean;
  /** Whether recorded agent sessions are replayed: once each, unless a number is given. */
  readonly hasAgents?: boolean;
  /** Whether the profiling phase ends when the first user has no session left. */
  readonly endsWithFirstIdle?: boolean;
}

/** The phases of a run: warm-up if it is requested, and profiling. */
export function resolvePhases(
  settings: ProfileSettings,
  { series, isSchedule = false, hasAgents = false, endsWithFirstIdle = false }: PhaseInputs = {},
): PhasePlan[] {
  const { concurrency, requestRate, arrivalPattern, arrivalSmoothness } = settings;
  if (arrivalSmoothness !== undefined && (arrivalPattern ?? "gamma") !== "gamma") {
    throw new UsageError(
      "--arrival-smoothness",
      `Needs --arrival-pattern gamma: got ${arrivalPattern}`,
    );
  }
  const isPaced = requestRate !== undefined || series !== undefined;
  checkPattern(
    "--arrival-pattern",
    arrivalPattern,
    isPaced,
    "--request-rate or --request-rate-series",
  );
  checkRateRamp("--request-rate-ramp-duration", settings.requestRateRampDuration, requestRate);
  // A schedule has an end of its own, and so have recorded sessions.
  const counts = isSchedule || hasAgents
    ? limits(settings, settings.requestCount, settings.numSessions)
    : countsOf(settings);
  const ramp = (seconds: number | undefined) => rampOf(settings, seconds);
  const prefill = prefillOf(
    settings.prefillConcurrency,
    ramp(settings.prefillConcurrencyRampDuration),
  );
  if ((prefill?.limit ?? 0) > (concurrency ?? Infinity)) {
    throw new UsageError("--prefill-concurrency", "Must not exceed --concurrency");
  }
  const cancellation = cancellationOf(settings);
  const concurrencyRamp = ramp(settings.concurrencyRampDuration);
  const profiling: PhasePlan = {
    kind: "profiling",
    load: isSchedule
      ? scheduleLoad(concurrency, concurrencyRamp)
      : settings.userCentricRate === undefined
      ? loadOf({
        ...{ concurrency, requestRate, series, arrivalPattern, arrivalSmoothness, counts },
        phase: "",
        concurrencyRamp,
        rateRamp: ramp(settings.requestRateRampDuration),
      })
      : userLoad(settings.userCentricRate, settings.numUsers ?? 1, counts),
    ...counts,
    durationNs: nanoseconds(settings.benchmarkDuration),
    graceNs: settings.benchmarkDuration === undefined
      ? Infinity
      : nanoseconds(settings.benchmarkGracePeriod),
    ...(prefill === undefined ? {} : { prefill }),
    ...(cancellation === undefined ? {} : { cancellation }),
    ...(endsWithFirstIdle ? { endsWithFirstIdle: true as const } : {}),
  };
  const warmup = warmupPhase(settings, series);
  return warmup === undefined ? [profiling] : [warmup, profiling];
}

function warmupPhase(
  settings: ProfileSettings,
  series: readonly RatePoint[] | undefined,
): PhasePlan | undefined {
  const { numWarmupSessions, warmupRequestCount, warmupDuration } = settings;
  const bounds = [numWarmupSessions, warmupRequestCount, warmupDuration];
  if (bounds.every((bound) => bound === undefined)) return undefined;
  const counts = limits(settings, warmupRequestCount, numWarmupSessions);
  const arrivalPattern = settings.warmupArrivalPattern ?? settings.arrivalPattern;
  // A burst has no rate, whatever that of the measurement is.
  const isBurst = arrivalPattern === "concurrency-burst";
  const requestRate = settings.warmupRequestRate ??
    (isBurst ? undefined : settings.requestRate ?? series?.[0]?.ratePerSecond);
  checkPattern(
    settings.warmupArrivalPattern === undefined ? "--arrival-pattern" : "--warmup-arrival-pattern",
    arrivalPattern,
    requestRate !== undefined,
    "--warmup-request-rate or --request-rate",
  );
  if (settings.warmupRequestRateRampDuration !== undefined && requestRate === undefined) {
    throw new UsageError(
      "--warmup-request-rate-ramp-duration",
      "Needs --warmup-request-rate or --request-rate",
    );
  }
  checkRateRamp(
    "--warmup-request-rate-ramp-duration",
    settings.warmupRequestRateRampDuration,
    requestRate,
  );
  const ramp = (own: number | undefined, other: number | undefined) =>
    rampOf(settings, own ?? other);
  const limit = settings.warmupPrefillConcurrency ?? settings.prefillConcurrency;
  const { warmupPrefillConcurrencyRampDuration: prefillSeconds } = settings;
  if (limit === undefined && prefillSeconds !== undefined) {
    throw new UsageError(
      "--warmup-prefill-concurrency-ramp-duration",
      "Needs --warmup-prefill-concurrency or --prefill-concurrency",
    );
  }
  if (limit !== undefined && !settings.streaming) {
    throw new UsageError("--warmup-prefill-concurrency", "Needs --streaming");
  }
  const prefill = prefillOf(limit, ramp(prefillSeconds, settings.prefillConcurrencyRampDuration));
  return {
    kind: "warmup",
    load: loadOf({
      concurrency: settings.warmupConcurrency ?? settings.concurrency,
      requestRate,
      series: undefined,
      arrivalPattern,
      arrivalSmoothness: settings.arrivalSmoothness,
      counts,
      phase: settings.warmupRequestRate === undefined ? "" : "warmup-",
      concurrencyRamp: ramp(
        settings.warmupConcurrencyRampDuration,
        settings.concurrencyRampDuration,
      ),
      rateRamp: ramp(settings.warmupRequestRateRampDuration, settings.requestRateRampDuration),
    }),
    ...counts,
    durationNs: nanoseconds(warmupDuration),
    graceNs: nanoseconds(settings.warmupGracePeriod),
    ...(prefill === undefined ? {} : { prefill }),
  };
}

/** Settings that determine the load of a phase. */
interface LoadSettings {
  readonly concurrency: number | undefined;
  readonly requestRate: number | undefined;
  readonly series: readonly RatePoint[] | undefined;
  readonly arrivalPattern: ArrivalChoice | undefined;
  readonly arrivalSmoothness: number | undefined;
  readonly counts: PhaseCounts;
  /** Prefix of the options from which the rate is. */
  readonly phase: "" | "warmup-";
  readonly concurrencyRamp: RampPlan | undefined;
  readonly rateRamp: RampPlan | undefined;
}

function loadOf(load: LoadSettings): LoadPlan {
  const { concurrency, requestRate, series, arrivalPattern, arrivalSmoothness } = load;
  const { concurrencyRamp, rateRamp } = load;
  const growing = concurrencyRamp === undefined || concurrency === undefined
    ? {}
    : { concurrencyRamp };
  if (series === undefined && (requestRate ?? Infinity) === Infinity) {
    return {
      loop: "closed",
      concurrency: requestRate === undefined
        ? concurrency ?? CLOSED_LOOP_CONCURRENCY
        : concurrency ?? fullLoad(load),
      ...growing,
    };
  }
  return {
    loop: "open",
    ratePerSecond: series === undefined
      ? requestRate as number
      : Math.max(...series.map(({ ratePerSecond }) => ratePerSecond)),
    ...(series === undefined ? {} : { rateSeries: series }),
    ...(rateRamp === undefined ? {} : { rateRamp }),
    arrivalPattern: patternOf(arrivalPattern) ??
      (arrivalSmoothness === undefined ? ARRIVAL_PATTERN : "gamma"),
    smoothness: arrivalSmoothness ?? SMOOTHNESS,
    concurrency: concurrency ?? Infinity,
    ...growing,
  };
}

/** Arrivals at the times of the input file. */
function scheduleLoad(
  concurrency = Infinity,
  concurrencyRamp: RampPlan | undefined,
): LoadPlan {
  return {
    loop: "open",
    ratePerSecond: 0,
    isSchedule: true,
    arrivalPattern: ARRIVAL_PATTERN,
    smoothness: SMOOTHNESS,
    concurrency,
    ...(concurrencyRamp === undefined ? {} : { concurrencyRamp }),
  };
}

/** All arrivals are due at once: a request is sent whenever there is room for one. */
function fullLoad({ counts, phase }: LoadSettings): number {
  const sessions = sessionLimit(counts);
  if (sessions < Infinity) return sessions;
  throw new UsageError(
    `--${phase}request-rate`,
    `inf needs --${phase}concurrency or a number of requests`,
  );
}

/** Whether synthetic prompts are conversations of several turns. */
export function hasTurns(
  settings: ProfileSettings,
): boolean {
  const { sessionTurnsMean, sessionTurnsStddev } = settings;
  return !hasGivenPrompts(settings) && (sessionTurnsMean > 1 || sessionTurnsStddev > 0);
}

/** Whether prompts are not made but read, each session with turns of its own. */
export function hasGivenPrompts({ inputFile, publicDataset }: ProfileSettings): boolean {
  return inputFile !== undefined || publicDataset !== undefined;
}

/** Sessions that a phase begins at most: each sends one request at least. */
export function sessionLimit({ requestCount, sessionCount = Infinity }: PhaseCounts): number {
  return Math.min(requestCount, sessionCount);
}

type PhaseCounts = Pick<PhasePlan, "requestCount" | "sessionCount">;

function countsOf(settings: ProfileSettings): PhaseCounts {
  const { requestCount, numSessions, benchmarkDuration, numUsers } = settings;
  const concurrency = numUsers ?? settings.concurrency;
  if (requestCount !== undefined || numSessions !== undefined || benchmarkDuration !== undefined) {
    return limits(settings, requestCount, numSessions);
  }
  const [least, perSlot] = settings.defaults === "aiperf"
    ? [AIPERF_MIN_REQUEST_COUNT, AIPERF_REQUESTS_PER_SLOT]
    : [MIN_REQUEST_COUNT, REQUESTS_PER_SLOT];
  const usual = Math.max(least, perSlot * (concurrency ?? CLOSED_LOOP_CONCURRENCY));
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
  const isOneEach = !hasGivenPrompts(settings) && !hasTurns(settings);
  if (isOneEach) return { requestCount: Math.min(requestCount, sessionCount) };
  return { requestCount, ...(sessionCount < Infinity ? { sessionCount } : {}) };
}

/** Users who take turns: together they send at an even rate. */
function userLoad(ratePerSecond: number, users: number, counts: PhaseCounts): LoadPlan {
  const sessions = sessionLimit(counts);
  if (users > sessions) {
    throw new UsageError(
      "--num-users",
      `Must not exceed the number of sessions, nor that of requests: got ${users} and ${sessions}`,
    );
  }
  return {
    loop: "open",
    ratePerSecond,
    users,
    arrivalPattern: "constant",
    smoothness: SMOOTHNESS,
    concurrency: Infinity,
  };
}

/** A burst has no rate, and the other patterns are of one. */
function checkPattern(
  flag: string,
  pattern: ArrivalChoice | undefined,
  isPaced: boolean,
  rate: string,
): void {
  if (pattern === undefined) return;
  if (pattern !== "concurrency-burst") {
    if (!isPaced) throw new UsageError(flag, `Needs ${rate}`);
  } else if (isPaced) {
    throw new UsageError(flag, "concurrency-burst has no rate: leave out one of the two");
  }
}

/** Refuses a rate ramp without a rate: "as fast as possible" is not a rate to grow to. */
function checkRateRamp(flag: string, seconds: number | undefined, rate: number | undefined): void {
  if (seconds === undefined || rate !== Infinity) return;
  throw new UsageError(flag, "Needs a rate that is a number: got inf");
}

function patternOf(pattern: ArrivalChoice | undefined) {
  return pattern === "concurrency-burst" ? undefined : pattern;
}

function rampOf(
  { rampShape, rampSteps }: ProfileSettings,
  seconds: number | undefined,
): RampPlan | undefined {
  if (seconds === undefined) return undefined;
  return {
    shape: rampShape,
    durationNs: nanoseconds(seconds),
    steps: rampShape === "steps" ? rampSteps : RAMP_STEPS,
  };
}

function prefillOf(
  limit: number | undefined,
  ramp: RampPlan | undefined,
): PrefillPlan | undefined {
  return limit === undefined ? undefined : { limit, ramp };
}

function cancellationOf(
  { requestCancellationRate, requestCancellationDelay }: ProfileSettings,
): PhasePlan["cancellation"] {
  if (requestCancellationRate === undefined) return undefined;
  return {
    share: requestCancellationRate / 100,
    delayNs: nanoseconds(requestCancellationDelay),
  };
}

function nanoseconds(seconds: number | undefined): number {
  return seconds === undefined ? Infinity : Math.round(seconds * 1e9);
}
