import type { HistogramEstimatorName } from "../../core/statistics/histogram/histogram_estimator.ts";
import type {
  MetricsEndpoint,
  PageLimits,
  ScrapeSubject,
} from "../../telemetry/scrape/metrics_endpoint.ts";

/** A format of the server metrics' files. */
export type MetricsFormat = "json" | "csv" | "parquet" | "jsonl";

/** Settings of computing and writing the metrics. */
export interface MetricsOutputPlan {
  readonly formats: readonly MetricsFormat[];
  readonly jsonLayout: "nested" | "flat";
  readonly estimator: HistogramEstimatorName;
  /** Whether cells that a spreadsheet would run as formulas are left alone. */
  readonly csvRaw: boolean;
  /** Width of the time slices; undefined for none. */
  readonly sliceNs: number | undefined;
  /** Lines of JSONL that are gathered before they are written. */
  readonly batchLines: number;
}

/** Endpoints to scrape, and settings of scraping. */
export interface ScrapePlan {
  readonly endpoints: readonly MetricsEndpoint[];
  readonly intervalNs: number;
  /** Time in nanoseconds for which scraping continues after the last response. */
  readonly flushNs: number;
  readonly reachabilityTimeoutNs: number;
  readonly timeoutNs: number;
  readonly limits: PageLimits;
  /** Absolute path of the file that gets the pages as received. */
  readonly recordingPath: string | undefined;
  /** Name of the scraped data in warnings. @default server metrics */
  readonly subject?: ScrapeSubject;
}

/** Collection of the servers' metrics. */
export interface ServerMetricsPlan extends ScrapePlan {
  readonly output: MetricsOutputPlan;
}
