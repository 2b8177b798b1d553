import type { ServerMetricsReport } from "../model/server_metrics_report.ts";

/** How much of a report is shown: the answer on one screen, or AIPerf's tables with all columns. */
export type ConsoleStyle = "compact" | "full";

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
