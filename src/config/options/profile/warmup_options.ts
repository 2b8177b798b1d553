import { COUNT, IN_FLIGHT, RATE, SECONDS_OR_INF } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";
import { SESSION_COUNT } from "./session_options.ts";
import { ARRIVAL_PATTERNS } from "./load_options.ts";

const WARMUP = "Warm-up";

/** The options of `inferometer profile` about warm-up. */
export const WARMUP_OPTIONS = {
  warmupRequestCount: {
    ...COUNT,
    aliases: ["num-warmup-requests"],
    group: WARMUP,
    help: "Number of warm-up requests; their prompts are not measured later",
    unit: "requests",
    common: true,
    mistakenFor: ["warmup", "num-warmups", "warmup-requests"],
    example: "--warmup-request-count 20",
  },
  numWarmupSessions: {
    ...SESSION_COUNT,
    group: WARMUP,
    help: "Number of warm-up sessions; their prompts are not measured later",
    example: "--num-warmup-sessions 4 --session-turns-mean 3",
  },
  warmupDuration: {
    ...SECONDS_OR_INF,
    group: WARMUP,
    help: "Duration of the warm-up",
    exclusive: true,
    example: "--warmup-duration 30",
  },
  warmupGracePeriod: {
    ...SECONDS_OR_INF,
    group: WARMUP,
    help: "Grace period of requests in flight after --warmup-duration",
    needs: ["warmupDuration"],
    defaultText: "unlimited",
    example: "--warmup-duration 30 --warmup-grace-period 10",
  },
  warmupConcurrency: {
    ...IN_FLIGHT,
    group: WARMUP,
    help: "Requests in flight during warm-up",
    needs: ["warmupRequestCount", "numWarmupSessions", "warmupDuration"],
    defaultText: "the value of --concurrency",
    example: "--warmup-duration 30 --warmup-concurrency 8",
  },
  warmupRequestRate: {
    ...RATE,
    group: WARMUP,
    help: "Requests per second during warm-up",
    needs: ["warmupRequestCount", "numWarmupSessions", "warmupDuration"],
    defaultText: "the value of --request-rate",
    example: "--warmup-duration 30 --warmup-request-rate 5",
  },
  warmupArrivalPattern: {
    kind: "text",
    group: WARMUP,
    help: "Arrival pattern during warm-up",
    value: "pattern",
    choices: ARRIVAL_PATTERNS,
    needs: ["warmupRequestCount", "numWarmupSessions", "warmupDuration"],
    defaultText: "the value of --arrival-pattern",
  },
} as const satisfies OptionTable;
