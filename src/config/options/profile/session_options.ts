import { COUNT, SECONDS } from "../number_rows.ts";
import { GIVEN_PROMPTS } from "./given_prompts.ts";
import type { OptionTable } from "../option.ts";

const SESSIONS = "Sessions";

/** A number of sessions. */
export const SESSION_COUNT = { ...COUNT, unit: "sessions" } as const;

/** A number of turns of a session, also a fraction. */
const TURNS = { kind: "number", unit: "turns", max: 10_000, group: SESSIONS } as const;

const MILLISECONDS = {
  kind: "number",
  unit: "milliseconds",
  min: 0,
  max: 1_000_000_000,
  group: SESSIONS,
} as const;

/** The options of `inferometer profile` about sessions: conversations of several turns. */
export const SESSION_OPTIONS = {
  numSessions: {
    ...SESSION_COUNT,
    aliases: ["num-conversations", "conversation-num"],
    group: SESSIONS,
    sweeps: true,
    help: "Number of sessions; each runs to completion",
    mistakenFor: ["sessions", "conversations"],
    defaultText:
      "max(10, 2 x concurrency) with --session-turns-mean, if neither a request count nor " +
      "a duration is given; else unlimited",
    example: "--num-sessions 100 --session-turns-mean 5",
  },
  sessionTurnsMean: {
    ...TURNS,
    sweeps: true,
    min: 1,
    aliases: ["conversation-turn-mean"],
    help: "Mean turns per session; each turn includes the earlier turns and replies",
    mistakenFor: ["turns", "num-turns", "turns-mean"],
    excludes: GIVEN_PROMPTS,
    default: 1,
    example: "--session-turns-mean 5 --session-turns-stddev 2",
  },
  sessionTurnsStddev: {
    ...TURNS,
    min: 0,
    aliases: ["conversation-turn-stddev"],
    sweeps: true,
    help: "Standard deviation of --session-turns-mean",
    excludes: GIVEN_PROMPTS,
    default: 0,
  },
  sessionTurnDelayMean: {
    ...MILLISECONDS,
    aliases: ["conversation-turn-delay-mean"],
    sweeps: true,
    help: "Mean time from a reply to the next turn of the session",
    mistakenFor: ["think-time", "turn-delay"],
    excludes: GIVEN_PROMPTS,
    default: 0,
    example: "--session-turns-mean 5 --session-turn-delay-mean 2000",
  },
  sessionTurnDelayStddev: {
    ...MILLISECONDS,
    aliases: ["conversation-turn-delay-stddev"],
    sweeps: true,
    help: "Standard deviation of --session-turn-delay-mean",
    excludes: GIVEN_PROMPTS,
    default: 0,
  },
  sessionTurnDelayRatio: {
    kind: "number",
    group: SESSIONS,
    aliases: ["session-delay-ratio", "conversation-turn-delay-ratio"],
    help: "Factor for all times between turns",
    value: "factor",
    min: 0,
    max: 1_000_000,
    excludes: GIVEN_PROMPTS,
    default: 1,
  },
  interTurnDelayCapSeconds: {
    ...SECONDS,
    group: SESSIONS,
    help: "Maximum time from a reply to the next turn; longer times are shortened to it",
    defaultText: "unlimited",
    example: "--inter-turn-delay-cap-seconds 10",
  },
  ignoreTraceDelays: {
    kind: "flag",
    group: SESSIONS,
    help: "Ignore the times of the input file: each turn follows the previous reply immediately",
    needs: ["inputFile"],
  },
  sessionHeader: {
    kind: "text",
    group: SESSIONS,
    help: "Name of the header with the session ID",
    value: "name",
    defaultText: "X-Correlation-ID",
    example: "--session-header X-Session-ID",
  },
} as const satisfies OptionTable;
