import { PERCENT, TOKEN_SPREAD } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";
import { METRICS } from "./server_metrics_options.ts";

/** The options of `inferometer profile` for objectives of a run. */
export const OBJECTIVE_OPTIONS = {
  goodput: {
    kind: "text",
    aliases: ["goodput-constraints"],
    group: METRICS,
    help: "Objectives (SLOs) that a request must meet to count as good, in the metrics' units",
    value: "objectives",
    example: '--streaming --goodput "ttft:200 itl:20"',
  },
  goodputNeedsCorrect: {
    kind: "flag",
    group: METRICS,
    help: "Count a request as good only if its answer is neither wrong nor invalid",
  },
  slo: {
    kind: "texts",
    group: METRICS,
    help: "Objectives on client and server metrics; exit with 3 if one is missed",
    value: "objective",
    common: true,
    brief: "Objectives (ttft.p99<500ms); exit 3 if missed",
    mistakenFor: ["slos", "threshold", "thresholds", "gate", "sla"],
    example: '--slo "ttft.p99<500ms" "error_rate<0.1%" "server.kv_cache_usage.max<0.95"',
  },
  abortOnSlo: {
    kind: "flag",
    group: METRICS,
    help: "Stop as soon as a client --slo can no longer be met",
    needs: ["slo"],
    mistakenFor: ["abort-on-fail", "fail-fast"],
  },
  usageDiffThreshold: {
    ...PERCENT,
    group: METRICS,
    help: "Difference from the server's token counts reported as a discrepancy",
    default: 10,
    variables: ["AIPERF_METRICS_USAGE_PCT_DIFF_THRESHOLD"],
  },
  oslMismatchThreshold: {
    ...PERCENT,
    group: METRICS,
    help: "Difference from the requested output length reported as a mismatch",
    default: 5,
    variables: ["AIPERF_METRICS_OSL_MISMATCH_PCT_THRESHOLD"],
  },
  oslMismatchMaxTokens: {
    ...TOKEN_SPREAD,
    group: METRICS,
    help: "Token difference reported as a mismatch; the smaller of both limits applies",
    default: 50,
    variables: ["AIPERF_METRICS_OSL_MISMATCH_MAX_TOKEN_THRESHOLD"],
  },
  costPerHour: {
    kind: "number",
    group: METRICS,
    help: "Price of all servers per hour, for cost per million tokens and per request",
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
    help: "Stop and exit with 1 if the fraction of failed requests exceeds this; checked after " +
      "20 replies",
    value: "share",
    min: 0,
    max: 1,
    default: 1,
    defaultText: "1: only if all failed",
    example: "--max-error-rate 0.01",
  },
} as const satisfies OptionTable;
