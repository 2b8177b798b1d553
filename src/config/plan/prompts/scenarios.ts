import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import type { ScenarioLimits } from "../agents_plan.ts";

/** A setting that a scenario locks: whether it is kept, and what is wanted. */
export type Lock = readonly [name: keyof ProfileSettings, isKept: boolean, wanted: string];

/** A named set of locked settings. */
export interface Scenario {
  readonly name: string;
  /** Version of the benchmark whose locks they are. */
  readonly version: string;
  /** Format of the sessions that it replays. */
  readonly format: string;
  readonly limits: ScenarioLimits;
  /** Longest reply where its length is free, in tokens; absent if replies have recorded lengths. */
  readonly freeLengthTokens?: number;
  /** Whether all sessions of a run have the same marker. */
  readonly marksRuns?: true;
  /** Whether the run ends when the first user has no session left. */
  readonly endsWithFirstIdle?: true;
  /** Settings where the user set nothing. */
  defaults(settings: ProfileSettings): Partial<ProfileSettings>;
  locks(settings: ProfileSettings): readonly Lock[];
}

/** Share of requests that may exceed the longest context, and that may fail. */
const MAX_OVERFLOWS = 0.01;
const MAX_FAILURES = 0.1;

/** Locks of AIPerf 0.13.0. */
const AGENTX_MVP: Scenario = {
  name: "inferencex-agentx-mvp",
  version: "0.13.0",
  format: "weka-trace",
  limits: {
    leastSeconds: 900,
    maxOverflowShare: MAX_OVERFLOWS,
    maxFailedShare: MAX_FAILURES,
    mayWrap: false,
    hasExactLengths: true,
  },
  defaults: () => ({
    benchmarkDuration: 1800,
    trajectoryStartMinRatio: 0,
    trajectoryStartMaxRatio: 1,
    systemIdleGapCapSeconds: 10,
    cacheBust: "first-turn-prefix",
  }),
  locks: (settings) => [
    ...recordedGaps(settings),
    ["streaming", settings.streaming, "on"],
    unset(settings, "synthesisMaxIsl"),
    ["benchmarkDuration", (settings.benchmarkDuration ?? 0) >= 900, "at least 900 s"],
    equal(settings, "trajectoryStartMinRatio", 0),
    equal(settings, "trajectoryStartMaxRatio", 1),
    equal(settings, "systemIdleGapCapSeconds", 10, "10 s"),
    unset(settings, "traceIdleGapCapSeconds"),
    isRecorded(settings),
    equal(settings, "cacheBust", "first-turn-prefix"),
  ],
};

/** Locks of the command line with which InferenceX runs its own version of AIPerf. */
const AGENTX: Scenario = {
  name: "inferencex-agentx",
  version: "843c625",
  format: "weka-trace",
  limits: {
    leastSeconds: 1200,
    maxFailedShare: MAX_FAILURES,
    mayWrap: false,
    hasExactLengths: false,
  },
  defaults: ({ concurrency = 1 }) => ({
    benchmarkDuration: 3600,
    trajectoryStartMinRatio: 0.25,
    trajectoryStartMaxRatio: 0.75,
    traceIdleGapCapSeconds: 300,
    warmupRequestCount: 10 * concurrency,
    randomSeed: 42,
    history: "live",
    useServerTokenCount: true,
    cacheBust: "first-turn-prefix",
  }),
  locks: (settings) => [
    ...recordedGaps(settings),
    ["streaming", settings.streaming, "on"],
    [
      "benchmarkDuration",
      settings.benchmarkDuration === 3600 || settings.benchmarkDuration === 1200,
      "3600 s, or 1200 s for a fast run",
    ],
    equal(settings, "trajectoryStartMinRatio", 0.25),
    equal(settings, "trajectoryStartMaxRatio", 0.75),
    equal(settings, "traceIdleGapCapSeconds", 300, "300 s"),
    equal(
      settings,
      "warmupRequestCount",
      10 * (settings.concurrency ?? 1),
      "10 requests for each session in progress",
    ),
    equal(settings, "randomSeed", 42),
    unset(settings, "agenticCacheWarmupDuration"),
    equal(settings, "history", "live"),
    ["useServerTokenCount", settings.useServerTokenCount, "on"],
    equal(settings, "cacheBust", "first-turn-prefix"),
  ],
};

/** Locks of the agentic scenario of MLPerf endpoints. */
const MLPERF: Scenario = {
  name: "mlperf-agentic",
  version: "ea33275",
  format: "mlperf-agentic",
  // Mean length of the replies to that of the recorded ones, as MLPerf's other scenarios have it.
  limits: { mayWrap: true, hasExactLengths: false, outputBand: { min: 0.9, max: 1.1 } },
  freeLengthTokens: 8192,
  endsWithFirstIdle: true,
  defaults: () => ({ history: "recorded", cacheBust: "system-prefix", window: "steady" }),
  locks: (settings) => [
    ...recordedGaps(settings),
    ...noMiddle(settings),
    unset(settings, "benchmarkDuration"),
    unset(settings, "requestCount"),
    unset(settings, "requestRate"),
    isRecorded(settings),
    equal(settings, "cacheBust", "system-prefix"),
    equal(settings, "window", "steady"),
    unset(settings, "agenticCacheWarmupDuration"),
  ],
};

/** Locks of agentperf-local. */
const AGENTPERF: Scenario = {
  name: "agentperf-local",
  version: "0.3.4",
  format: "agentperf",
  limits: { mayWrap: false, hasExactLengths: true },
  marksRuns: true,
  defaults: () => ({
    concurrency: 1,
    maxParallelCalls: 1,
    toolTime: "none",
    userTime: "none",
    history: "recorded",
    cacheBust: "first-turn-prefix",
  }),
  locks: (settings) => [
    ...noMiddle(settings),
    equal(settings, "concurrency", 1),
    equal(settings, "maxParallelCalls", 1),
    unset(settings, "requestRate"),
    unset(settings, "agenticCacheWarmupDuration"),
    ["toolTime", settings.toolTime === "none" || settings.ignoreTraceDelays, "none"],
    ["userTime", settings.userTime === "none" || settings.ignoreTraceDelays, "none"],
    isRecorded(settings),
    equal(settings, "cacheBust", "first-turn-prefix"),
  ],
};

/** All scenarios. */
export const SCENARIOS: readonly Scenario[] = [AGENTX_MVP, AGENTX, MLPERF, AGENTPERF];

function equal(
  settings: ProfileSettings,
  name: keyof ProfileSettings,
  value: string | number,
  wanted = String(value),
): Lock {
  return [name, settings[name] === value, wanted];
}

function unset(settings: ProfileSettings, name: keyof ProfileSettings): Lock {
  return [name, settings[name] === undefined, "none"];
}

function isRecorded({ history }: ProfileSettings): Lock {
  return ["history", history === undefined || history === "recorded", "recorded"];
}

function recordedGaps(settings: ProfileSettings): Lock[] {
  const isUnset = (value: unknown): boolean => value === undefined || value === "recorded";
  return [
    ["ignoreTraceDelays", !settings.ignoreTraceDelays, "off"],
    unset(settings, "interTurnDelayCapSeconds"),
    ["toolTime", isUnset(settings.toolTime), "recorded"],
    ["userTime", isUnset(settings.userTime), "recorded"],
  ];
}

/** Sessions run from their beginning to their end, with all pauses. */
function noMiddle(settings: ProfileSettings): Lock[] {
  return ([
    ...["trajectoryStartMinRatio", "trajectoryStartMaxRatio"],
    ...["traceIdleGapCapSeconds", "systemIdleGapCapSeconds"],
  ] as const).map((name) => unset(settings, name));
}
