import { PERCENT, TOKEN_SPREAD } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";
import { METRICS } from "./server_metrics_options.ts";

/** The options of `inferometer profile` about what a run is held against. */
export const OBJECTIVE_OPTIONS = {
  goodput: {
    kind: "text",
    aliases: ["goodput-constraints"],
    group: METRICS,
    help: "Objectives (SLOs) a request must meet to count as good, in the metrics' units",
    value: "objectives",
    example: '--streaming --goodput "ttft:200 itl:20"',
  },
  slo: {
    kind: "texts",
    group: METRICS,
    help: "What the run must keep to, of client and server metrics; exit with 3 if it does not",
    value: "objective",
    common: true,
    mistakenFor: ["slos", "threshold", "thresholds", "gate", "sla"],
    example: '--slo "ttft.p99<500ms" "error_rate<0.1%" "server.kv_cache_usage.max<0.95"',
  },
  abortOnSlo: {
    kind: "flag",
    group: METRICS,
    help: "End the run as soon as an --slo of the client cannot be met any more",
    needs: ["slo"],
    mistakenFor: ["abort-on-fail", "fail-fast"],
  },
  usageDiffThreshold: {
    ...PERCENT,
    group: METRICS,
    help: "Difference from the server's token counts that is reported as a discrepancy",
    default: 10,
    variables: ["AIPERF_METRICS_USAGE_PCT_DIFF_THRESHOLD"],
  },
  oslMismatchThreshold: {
    ...PERCENT,
    group: METRICS,
    help: "Difference from the requested output length that is reported as a mismatch",
    default: 5,
    variables: ["AIPERF_METRICS_OSL_MISMATCH_PCT_THRESHOLD"],
  },
  oslMismatchMaxTokens: {
    ...TOKEN_SPREAD,
    group: METRICS,
    help: "The same in tokens; the smaller of the two applies",
    default: 50,
    variables: ["AIPERF_METRICS_OSL_MISMATCH_MAX_TOKEN_THRESHOLD"],
  },
  costPerHour: {
    kind: "number",
    group: METRICS,
    help: "Price of an hour of all the servers together: gives cost per million tokens and per " +
      "request",
    value: "price",
    unit: "currency per hour",
    min: 0,
    max: 1_000_000_000,
    exclusive: true,
    mistakenFor: ["cost", "price", "price-per-hour", "hourly-cost"],
    example: "--cost-per-hour 2.50",
  },
  maxErrorRate: {
    kind: "number",
    aliases: ["failed-request-threshold"],
    group: METRICS,
    help:
      "Stop, and exit with 1, if a larger share of the requests fails: judged from 20 replies on",
    value: "share",
    min: 0,
    max: 1,
    default: 1,
    defaultText: "1: only if all failed",
    example: "--max-error-rate 0.01",
  },
} as const satisfies OptionTable;
