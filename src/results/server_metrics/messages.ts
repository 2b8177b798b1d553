/** Messages between main and the thread of server metrics. */

import type { TimeWindow } from "../../telemetry/timeseries/time_window.ts";
import type { MetricsResultsOptions, MetricsSummary } from "./metrics_results.ts";

/** Inputs of the thread at its start. */
export interface MetricsOrders
  extends Omit<MetricsResultsOptions, "sink" | "onFailure" | "onScrape"> {
  /** Folder of the files. */
  readonly directory: string;
}

/** Messages from main. */
export type ToMetricsWorker =
  | { readonly type: "init"; readonly orders: MetricsOrders }
  /** Draw what a window says so far; answered by `live`. */
  | { readonly type: "live"; readonly window: TimeWindow; readonly width: number }
  /** Write nothing and leave the folder; answered by `abandoned`. */
  | { readonly type: "abandon" }
  /** Write everything; answered by `done`. */
  | {
    readonly type: "finish";
    readonly summary: MetricsSummary;
    readonly width: number;
    readonly color: boolean;
  };

/** Messages to main. */
export type FromMetricsWorker =
  | { readonly type: "ready" }
  | {
    readonly type: "live";
    readonly fetches: number;
    readonly tables: readonly (readonly [kind: string, table: string])[];
  }
  /** A file cannot be written; the others go on. */
  | { readonly type: "exportFailed"; readonly message: string }
  | { readonly type: "abandoned" }
  | {
    readonly type: "done";
    readonly screenText: string;
    readonly files: readonly string[];
    readonly failure: string | undefined;
    /** Metrics that have samples. */
    readonly metrics: number;
  };
