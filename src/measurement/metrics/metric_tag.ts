import type { NETWORK_ADJUSTED_METRICS, NETWORK_RTT } from "./network_metrics.ts";
import type { LevelMetricTag } from "./level_metrics.ts";
import type { ERROR_ISL, INTER_CHUNK_LATENCY, RecordMetricTag } from "./record_metrics.ts";
import type { SESSION_METRICS, SESSION_TOTALS } from "./session_metrics.ts";
import type {
  COST_METRICS,
  COUNT_METRICS,
  RATE_METRICS,
  SHARE_METRICS,
  TOTAL_METRICS,
} from "./run_metrics.ts";

/** The tag of any metric in the catalog, taken from it: a misspelt one does not compile. */
export type MetricTag =
  | RecordMetricTag
  | LevelMetricTag
  | typeof SESSION_METRICS[number]["tag"]
  | typeof SESSION_TOTALS[keyof typeof SESSION_TOTALS]["tag"]
  | typeof INTER_CHUNK_LATENCY.tag
  | typeof ERROR_ISL.tag
  | typeof NETWORK_ADJUSTED_METRICS[number]["tag"]
  | typeof NETWORK_RTT.tag
  | typeof TOTAL_METRICS[number]["tag"]
  | typeof COUNT_METRICS[keyof typeof COUNT_METRICS]["tag"]
  | typeof SHARE_METRICS[keyof typeof SHARE_METRICS]["tag"]
  | typeof RATE_METRICS[keyof typeof RATE_METRICS]["tag"]
  | typeof COST_METRICS[keyof typeof COST_METRICS]["tag"];
