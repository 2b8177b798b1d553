import { COUNT, IN_FLIGHT, RATE, SECONDS_OR_INF } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";
import {
  ARRIVAL_PATTERN,
  CLOSED_LOOP_CONCURRENCY,
  MIN_REQUEST_COUNT,
  REQUESTS_PER_SLOT,
  SMOOTHNESS,
} from "./computed_defaults.ts";

const LOAD = "Load";

/** How requests arrive that come at a rate. */
export const ARRIVAL_PATTERNS = ["poisson", "constant", "gamma", "concurrency-burst"] as const;

/** The options of `inferometer profile` about how much is sent, and how long. */
export const LOAD_OPTIONS = {
  concurrency: {
    ...IN_FLIGHT,
    group: LOAD,
    sweeps: true,
    help: "Number of sessions under way, each with one request at a time; with a rate, its maximum",
    common: true,
    mistakenFor: ["c", "max-concurrency", "concurrent", "connections", "users", "parallel"],
    defaultText: `${CLOSED_LOOP_CONCURRENCY}; with a rate no limit`,
    example: "--concurrency 64",
  },
  requestRate: {
    ...RATE,
    group: LOAD,
    sweeps: true,
    help:
      "Requests per second, sent whether or not earlier ones have finished; inf: as fast as possible",
    common: true,
    mistakenFor: ["rate", "qps", "rps"],
    example: "--request-rate 20",
  },
  arrivalPattern: {
    kind: "text",
    aliases: ["request-rate-mode"],
    group: LOAD,
    help: "Distribution of the times between requests; concurrency-burst: as fast as " +
      "--concurrency lets them, without a rate",
    value: "pattern",
    choices: ARRIVAL_PATTERNS,
    defaultText: `${ARRIVAL_PATTERN}; gamma with a smoothness`,
    example: "--request-rate 20 --arrival-pattern constant",
  },
  arrivalSmoothness: {
    kind: "number",
    aliases: ["vllm-burstiness"],
    group: LOAD,
    sweeps: true,
    help: "Shape of the gamma distribution: below 1 bursts, 1 Poisson, above 1 smoother",
    value: "shape",
    min: 0.001,
    max: 1_000_000,
    mistakenFor: ["burstiness"],
    needs: ["requestRate", "requestRateSeries"],
    defaultText: `${SMOOTHNESS}`,
    example: "--request-rate 20 --arrival-smoothness 0.5",
  },
  requestCount: {
    ...COUNT,
    aliases: ["num-requests"],
    group: LOAD,
    sweeps: true,
    help: "Number of requests to send; sessions that are under way end with the last",
    unit: "requests",
    common: true,
    mistakenFor: ["n", "requests", "count", "num"],
    defaultText:
      `max(${MIN_REQUEST_COUNT}, ${REQUESTS_PER_SLOT} x concurrency) unless sessions or ` +
      "a duration are given",
    example: "--request-count 1000",
  },
  benchmarkDuration: {
    ...SECONDS_OR_INF,
    group: LOAD,
    sweeps: true,
    help: "Duration of sending; running requests then get the grace period",
    exclusive: true,
    common: true,
    mistakenFor: ["d", "t", "duration", "time"],
    example: "--benchmark-duration 5m",
  },
  benchmarkGracePeriod: {
    ...SECONDS_OR_INF,
    group: LOAD,
    help: "Maximum wait for running requests after --benchmark-duration; then they are cut off",
    needs: ["benchmarkDuration"],
    default: 30,
    example: "--benchmark-duration 60 --benchmark-grace-period 10",
  },
} as const satisfies OptionTable;
