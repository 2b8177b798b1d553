import type { ServerMetricsReport } from "../model/server_metrics_report.ts";

/**
 * How much of a report is shown: the answers on one screen, AIPerf's tables with all columns, the
 * closing lines only, or one JSON object.
 */
export type ConsoleStyle = "compact" | "full" | "quiet" | "json";

/** Settings of the console report. */
export interface ConsoleOptions {
  readonly style: ConsoleStyle;
  /** Columns of the screen. */
  readonly width: number;
  readonly color: boolean;
  /** The folder of the run's files. */
  readonly directory: string;
  /** Show the table of HTTP timings. */
  readonly traceTiming: boolean;
  /** The servers' metrics; undefined if they were not collected. */
  readonly serverMetrics: ServerMetricsReport | undefined;
}
