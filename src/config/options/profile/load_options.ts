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
    help: "Concurrent sessions, one request each; with a rate, the maximum in flight",
    common: true,
    brief: "Requests in flight [default: 1 without a rate]",
    mistakenFor: ["c", "max-concurrency", "concurrent", "connections", "users", "parallel"],
    defaultText: `${CLOSED_LOOP_CONCURRENCY}; with a rate, unlimited`,
    example: "--concurrency 64",
  },
  requestRate: {
    ...RATE,
    group: LOAD,
    sweeps: true,
    aliases: ["session-rate"],
    help: "Arrivals of requests or sessions per second, whatever the replies; inf: no limit",
    common: true,
    brief: "Arrivals per second, such as 10 or 600/m",
    mistakenFor: ["rate", "qps", "rps"],
    example: "--request-rate 20",
  },
  arrivalPattern: {
    kind: "text",
    aliases: ["request-rate-mode"],
    group: LOAD,
    help: "Distribution of the times between arrivals; concurrency-burst: limited by " +
      "--concurrency only",
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
    help: "Number of requests to send; active sessions end with the last one",
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
    help: "Duration of sending; requests in flight then get the grace period",
    exclusive: true,
    common: true,
    brief: "Duration [default: 100 requests or more]",
    mistakenFor: ["d", "t", "duration", "time"],
    example: "--benchmark-duration 5m",
  },
  benchmarkGracePeriod: {
    ...SECONDS_OR_INF,
    group: LOAD,
    help:
      "Grace period of requests in flight after --benchmark-duration; later replies are cut off",
    needs: ["benchmarkDuration"],
    default: 30,
    example: "--benchmark-duration 60 --benchmark-grace-period 10",
  },
} as const satisfies OptionTable;
