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

/** Options of how load rises and falls, and of how single requests end. */
export const LOAD_SHAPE_OPTIONS = {
  concurrencyRampDuration: {
    ...RAMP,
    group: LOAD_SHAPE,
    help: "Time in which --concurrency rises from 1 to its value",
    needs: ["concurrency"],
    mistakenFor: ["ramp-up", "rampup", "ramp", "ramp-duration"],
    example: "--concurrency 64 --concurrency-ramp-duration 30",
  },
  requestRateRampDuration: {
    ...RAMP,
    group: LOAD_SHAPE,
    help: "Time in which the rate rises to its value, or to the first value of a series",
    needs: ["requestRate", "requestRateSeries"],
    example: "--request-rate 20 --request-rate-ramp-duration 1m",
  },
  rampShape: {
    kind: "text",
    group: LOAD_SHAPE,
    help: "Growth of ramps: linear, exponential (from a hundredth), or in steps",
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
    help: "Number of steps of --ramp-shape steps; the last step is the target",
    unit: "steps",
    max: 100_000,
    needs: ["rampShape"],
    default: RAMP_STEPS,
    example: "--concurrency 64 --concurrency-ramp-duration 1m --ramp-shape steps --ramp-steps 4",
  },
  requestRateSeries: {
    kind: "text",
    group: LOAD_SHAPE,
    help: "Request rate over time, interpolated linearly: JSON or a JSON file, " +
      '[{"time_s":0,"qps":5},{"time_s":60,"qps":20}]',
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
    help: "Maximum number of requests waiting for their first token; further requests are delayed",
    needs: ["streaming"],
    example: "--streaming --concurrency 64 --prefill-concurrency 4",
  },
  prefillConcurrencyRampDuration: {
    ...RAMP,
    group: LOAD_SHAPE,
    help: "Time in which --prefill-concurrency rises from 1 to its value",
    needs: ["prefillConcurrency"],
  },
  userCentricRate: {
    ...FINITE_RATE,
    group: LOAD_SHAPE,
    sweeps: true,
    help: "Requests per second of --num-users users; each sends its next turn every users / rate " +
      "seconds",
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
    help: "Percentage of requests to cancel, except during warm-up",
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
    help: "Time from the end of a request's write to its cancellation",
    max: 1_000_000,
    needs: ["requestCancellationRate"],
    default: 0,
  },
  on429: {
    kind: "text",
    group: REPLIES,
    help: "Handling of HTTP 429: count as failed, or wait for Retry-After (at most 60 s) and retry",
    value: "action",
    choices: ["fail", "wait"],
    default: "fail",
    example: "--on-429 wait",
  },
  expectRegex: {
    kind: "text",
    group: REPLIES,
    help: "Pattern that each answer must match (RE2 syntax); other answers count as failed",
    value: "pattern",
    mistakenFor: ["expect", "expected-regex"],
    example: '--expect-regex "(?i)yes|no"',
  },
  expectMinTokens: {
    ...COUNT,
    group: REPLIES,
    help: "Minimum output tokens of a reply, with reasoning; shorter replies count as failed",
    value: "tokens",
    unit: "tokens",
    max: 10_000_000,
    mistakenFor: ["min-tokens"],
    example: "--osl 128 --expect-min-tokens 100",
  },
} as const satisfies OptionTable;

/** Load shape options of the warm-up. */
export const WARMUP_SHAPE_OPTIONS = {
  warmupConcurrencyRampDuration: {
    ...RAMP,
    group: WARMUP,
    help: "Time in which the warm-up concurrency rises to its value",
    needs: WARMUP_BOUNDS,
    defaultText: "the value of --concurrency-ramp-duration",
  },
  warmupRequestRateRampDuration: {
    ...RAMP,
    group: WARMUP,
    help: "Time in which the warm-up request rate rises to its value",
    needs: WARMUP_BOUNDS,
    defaultText: "the value of --request-rate-ramp-duration",
  },
  warmupPrefillConcurrency: {
    ...IN_FLIGHT,
    group: WARMUP,
    help: "Maximum number of requests waiting for their first token during warm-up",
    needs: WARMUP_BOUNDS,
    defaultText: "the value of --prefill-concurrency",
  },
  warmupPrefillConcurrencyRampDuration: {
    ...RAMP,
    group: WARMUP,
    help: "Time in which --warmup-prefill-concurrency rises to its value",
    needs: WARMUP_BOUNDS,
    defaultText: "the value of --prefill-concurrency-ramp-duration",
  },
} as const satisfies OptionTable;
