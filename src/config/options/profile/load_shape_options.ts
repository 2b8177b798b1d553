import { COUNT, IN_FLIGHT, RATE, SECONDS } from "../number_rows.ts";
import { RAMP_SHAPES } from "../ramp_shapes.ts";
import { RAMP_STEPS } from "./computed_defaults.ts";
import type { OptionTable } from "../option.ts";

const LOAD_SHAPE = "Load shape";
const REPLIES = "Expected replies";
const WARMUP = "Warm-up";

/** A rate that is a number. */
const { unlimited: _, ...FINITE_RATE } = RATE;

const WARMUP_BOUNDS = ["warmupRequestCount", "warmupDuration", "numWarmupSessions"] as const;

/** The time in which something grows to its target. */
const RAMP = { ...SECONDS, exclusive: true, max: 1_000_000 } as const;

/** Options of how load comes and goes, and of what becomes of single requests. */
export const LOAD_SHAPE_OPTIONS = {
  concurrencyRampDuration: {
    ...RAMP,
    group: LOAD_SHAPE,
    help: "Time in which --concurrency grows from 1 to its value",
    needs: ["concurrency"],
    mistakenFor: ["ramp-up", "rampup", "ramp", "ramp-duration"],
    example: "--concurrency 64 --concurrency-ramp-duration 30",
  },
  requestRateRampDuration: {
    ...RAMP,
    group: LOAD_SHAPE,
    help: "Time in which the rate grows to its value, or to the first one of a series",
    needs: ["requestRate", "requestRateSeries"],
    example: "--request-rate 20 --request-rate-ramp-duration 1m",
  },
  rampShape: {
    kind: "text",
    group: LOAD_SHAPE,
    help: "How ramps grow: by the same amount in equal times, by the same factor (from a " +
      "hundredth), or in steps",
    value: "shape",
    choices: RAMP_SHAPES,
    needs: [
      ...["concurrencyRampDuration", "requestRateRampDuration", "prefillConcurrencyRampDuration"],
      ...["warmupConcurrencyRampDuration", "warmupRequestRateRampDuration"],
      "warmupPrefillConcurrencyRampDuration",
    ],
    default: "linear",
    example: "--concurrency 64 --concurrency-ramp-duration 30 --ramp-shape steps",
  },
  rampSteps: {
    ...COUNT,
    group: LOAD_SHAPE,
    help: "Number of steps of --ramp-shape steps; the last one is at the target",
    unit: "steps",
    max: 100_000,
    needs: ["rampShape"],
    default: RAMP_STEPS,
    example: "--concurrency 64 --concurrency-ramp-duration 1m --ramp-shape steps --ramp-steps 4",
  },
  requestRateSeries: {
    kind: "text",
    group: LOAD_SHAPE,
    help: 'Request rate over time: JSON, or a file of it, as [{"time_s":0,"qps":5},' +
      '{"time_s":60,"qps":20}]; it changes evenly between the points and stays at the last one',
    value: "points",
    json: true,
    completes: "file",
    excludes: ["requestRate", "userCentricRate"],
    mistakenFor: ["rate-series", "stages"],
    example: "--request-rate-series rates.json --benchmark-duration 5m",
  },
  prefillConcurrency: {
    ...IN_FLIGHT,
    group: LOAD_SHAPE,
    sweeps: true,
    help: "Maximum number of requests that wait for their first token; others wait to be sent",
    needs: ["streaming"],
    example: "--streaming --concurrency 64 --prefill-concurrency 4",
  },
  prefillConcurrencyRampDuration: {
    ...RAMP,
    group: LOAD_SHAPE,
    help: "Time in which --prefill-concurrency grows from 1 to its value",
    needs: ["prefillConcurrency"],
  },
  userCentricRate: {
    ...FINITE_RATE,
    group: LOAD_SHAPE,
    sweeps: true,
    help: "Requests per second of --num-users users in turn: each sends one every users / rate " +
      "seconds, the next turn of a session not before the reply to the last",
    needs: ["numUsers"],
    excludes: ["requestRate", "concurrency", "arrivalPattern", "arrivalSmoothness"],
    example: "--user-centric-rate 2 --num-users 30 --benchmark-duration 5m",
  },
  numUsers: {
    ...COUNT,
    group: LOAD_SHAPE,
    sweeps: true,
    help: "Number of users of --user-centric-rate",
    unit: "users",
    max: 1_000_000,
    needs: ["userCentricRate"],
  },
  requestCancellationRate: {
    kind: "number",
    group: LOAD_SHAPE,
    sweeps: true,
    help: "Percentage of the requests that are cancelled on purpose; not during warm-up",
    value: "percent",
    unit: "percent",
    min: 0,
    max: 100,
    exclusive: true,
    mistakenFor: ["cancellation-rate", "cancel-rate"],
    example: "--request-cancellation-rate 10 --request-cancellation-delay 0.5",
  },
  requestCancellationDelay: {
    ...SECONDS,
    group: LOAD_SHAPE,
    sweeps: true,
    help: "Time from the end of writing a request to its cancellation",
    max: 1_000_000,
    needs: ["requestCancellationRate"],
    default: 0,
  },
  on429: {
    kind: "text",
    group: REPLIES,
    help: "Whether a request that is answered with 429 fails, or waits as long as the server " +
      "says (Retry-After, at most a minute each time) and is sent again",
    value: "action",
    choices: ["fail", "wait"],
    default: "fail",
    example: "--on-429 wait",
  },
  expectRegex: {
    kind: "text",
    group: REPLIES,
    help: "Pattern that each answer must match (RE2 syntax); one that does not is a failure",
    value: "pattern",
    mistakenFor: ["expect", "expected-regex"],
    example: '--expect-regex "(?i)yes|no"',
  },
  expectMinTokens: {
    ...COUNT,
    group: REPLIES,
    help: "Minimum output tokens of a reply, reasoning included; one that has less is a failure",
    value: "tokens",
    unit: "tokens",
    max: 10_000_000,
    mistakenFor: ["min-tokens"],
    example: "--osl 128 --expect-min-tokens 100",
  },
} as const satisfies OptionTable;

/** The same of the warm-up. */
export const WARMUP_SHAPE_OPTIONS = {
  warmupConcurrencyRampDuration: {
    ...RAMP,
    group: WARMUP,
    help: "Time in which the concurrency of the warm-up grows to its value",
    needs: WARMUP_BOUNDS,
    defaultText: "as --concurrency-ramp-duration",
  },
  warmupRequestRateRampDuration: {
    ...RAMP,
    group: WARMUP,
    help: "Time in which the request rate of the warm-up grows to its value",
    needs: WARMUP_BOUNDS,
    defaultText: "as --request-rate-ramp-duration",
  },
  warmupPrefillConcurrency: {
    ...IN_FLIGHT,
    group: WARMUP,
    help: "Maximum number of requests that wait for their first token during warm-up",
    needs: WARMUP_BOUNDS,
    defaultText: "as --prefill-concurrency",
  },
  warmupPrefillConcurrencyRampDuration: {
    ...RAMP,
    group: WARMUP,
    help: "Time in which that number grows to its value",
    needs: WARMUP_BOUNDS,
    defaultText: "as --prefill-concurrency-ramp-duration",
  },
} as const satisfies OptionTable;
