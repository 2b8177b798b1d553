import { COUNT, SECONDS, TOKENS } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

const AGENTS = "Agent sessions";

/** A change of recorded gaps. */
const GAPS = {
  kind: "text",
  group: AGENTS,
  value: "rule",
  suggestions: ["recorded", "none", "scale:0.5", "cap:10s"],
  needs: ["inputFile", "hfWekaDataset"],
  defaultText: "recorded",
} as const;

/** A place in the recorded time of a session. */
const RATIO = {
  kind: "number",
  group: AGENTS,
  value: "ratio",
  min: 0,
  max: 1,
  needs: ["inputFile", "hfWekaDataset"],
} as const;

/** The options of `inferometer profile` about recorded agent sessions. */
export const AGENT_OPTIONS = {
  toolTime: {
    ...GAPS,
    help: "Gaps in which tools work: recorded, none, scale:FACTOR or cap:TIME",
    example: "--input-file trace.json --tool-time cap:10s",
  },
  userTime: {
    ...GAPS,
    help: "Gaps in which a user works: recorded, none, scale:FACTOR or cap:TIME",
    example: "--input-file trace.json --user-time none",
  },
  maxParallelCalls: {
    ...COUNT,
    group: AGENTS,
    unit: "calls",
    help: "Maximum number of calls of one session in flight",
    needs: ["inputFile", "hfWekaDataset"],
    defaultText: "unlimited",
    example: "--input-file trace.json --max-parallel-calls 4",
  },
  history: {
    kind: "text",
    group: AGENTS,
    help: "Replies in later prompts: those of the server, or recorded ones",
    value: "replies",
    choices: ["live", "recorded"],
    needs: ["inputFile", "hfWekaDataset"],
    defaultText: "recorded where the file has replies or blocks",
  },
  onFailedCall: {
    kind: "text",
    group: AGENTS,
    help: "Calls that are not sent after a failed call: those that depend on it, all, or none",
    value: "policy",
    choices: ["branch", "session", "continue"],
    default: "branch",
  },
  callOrder: {
    kind: "text",
    group: AGENTS,
    help: "Whether agents without a join between them keep their recorded order",
    value: "order",
    choices: ["recorded", "causal"],
    default: "recorded",
  },
  trajectoryStartMinRatio: {
    ...RATIO,
    help: "Smallest part of a session's recorded time to skip; drawn for each session",
    defaultText: "0",
    example: "--input-file trace.json --trajectory-start-min-ratio 0.25",
  },
  trajectoryStartMaxRatio: {
    ...RATIO,
    help: "Largest part of a session's recorded time to skip",
    defaultText: "the value of --trajectory-start-min-ratio",
  },
  burstPhaseStarts: {
    kind: "flag",
    group: AGENTS,
    help: "Send the first call of each session at once, not at its recorded time",
    needs: ["inputFile", "hfWekaDataset"],
  },
  agenticCacheWarmupDuration: {
    ...SECONDS,
    group: AGENTS,
    help:
      "Time before the measurement in which sessions without gaps, with replies of one token, " +
      "fill the caches",
    needs: ["inputFile", "hfWekaDataset"],
    excludes: ["requestRate", "requestRateSeries", "fixedSchedule"],
    defaultText: "none",
    example: "--input-file trace.json --concurrency 8 --agentic-cache-warmup-duration 60",
  },
  agenticWarmupGracePeriod: {
    ...SECONDS,
    group: AGENTS,
    help:
      "Maximum time of the priming calls before the measurement, and of the last calls of the " +
      "cache warm-up",
    needs: [
      ...["trajectoryStartMinRatio", "trajectoryStartMaxRatio", "scenario"],
      "agenticCacheWarmupDuration",
    ],
    defaultText: "unlimited",
  },
  useThinkTimeOnly: {
    kind: "flag",
    group: AGENTS,
    help: "Gaps of a Weka trace: its think_time where it has one",
    needs: ["inputFile", "hfWekaDataset"],
    excludes: ["ignoreTraceDelays"],
  },
  traceIdleGapCapSeconds: {
    ...SECONDS,
    group: AGENTS,
    help: "Maximum time in which no call of a session is in flight",
    needs: ["inputFile", "hfWekaDataset"],
    defaultText: "unlimited",
    example: "--input-file trace.json --trace-idle-gap-cap-seconds 60",
  },
  maxContextLength: {
    ...TOKENS,
    group: AGENTS,
    help: "Longest input plus output of a call; sessions with longer ones are left out",
    needs: ["inputFile", "hfWekaDataset"],
    defaultText: "unlimited",
  },
  systemIdleGapCapSeconds: {
    ...SECONDS,
    group: AGENTS,
    help: "Maximum time in which no call of the run is in flight",
    needs: ["inputFile", "hfWekaDataset"],
    defaultText: "unlimited; 10 s with --scenario",
  },
  scenario: {
    kind: "text",
    group: AGENTS,
    help: "Named set of locked settings for comparable agent runs",
    value: "name",
    choices: ["inferencex-agentx-mvp", "inferencex-agentx", "mlperf-agentic", "agentperf-local"],
    needs: ["inputFile", "hfWekaDataset"],
    defaultText: "none",
    example: "--input-file trace.json --streaming --scenario inferencex-agentx-mvp",
  },
  unsafeOverride: {
    kind: "flag",
    group: AGENTS,
    help: "Run with settings that --scenario forbids; the result is no valid submission",
    needs: ["scenario"],
  },
  allowDatasetWrap: {
    kind: "flag",
    group: AGENTS,
    help: "Replay recorded sessions more than once each",
    needs: ["inputFile", "hfWekaDataset"],
  },
} as const satisfies OptionTable;
