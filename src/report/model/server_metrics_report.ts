/** The servers' metrics of a run: the one model of every table and file. */

import type { RunTag } from "../../config/plan/run_plan.ts";
import type { Place } from "../../telemetry/engines/place.ts";
import type { ServerInfo } from "../server_info/server_info.ts";
import type { MetricReport, SeriesReport } from "./series_report.ts";
import type { ServerRoles } from "./server_roles.ts";

/** Part of a run. */
export interface RunPart {
  /** Nanoseconds since 1970. */
  readonly startNs: bigint;
  readonly endNs: bigint;
}

/** Metrics that servers reported for a part of a run. */
export interface ServerFiguresOfPart {
  /** Every series with samples in it. */
  readonly series: readonly SeriesReport[];
  readonly roles: ServerRoles;
}

/** The metrics of a run. Times are nanoseconds since 1970. */
export interface ServerMetricsReport {
  readonly benchmarkId: string;
  /** The profiling phase. */
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** Every scraped endpoint, in the order of the options, redacted for display. */
  readonly endpointsConfigured: readonly string[];
  /** Endpoints that returned data. */
  readonly endpoints: readonly EndpointReport[];
  /** By ascending name. */
  readonly metrics: readonly MetricReport[];
  /** Roles of the metrics of engines, over all instances. */
  readonly roles: ServerRoles;
  /**
   * Returns the metrics of a part of the run, with means of levels over time; undefined if only the
   * statistics of the whole run are known.
   */
  readonly within?: ((part: RunPart) => ServerFiguresOfPart) | undefined;
  /** Configurations of the servers from their metrics endpoints. */
  readonly info: readonly ServerInfo[];
  readonly inputConfig: Readonly<Record<string, unknown>>;
  /** The user's labels of the run. */
  readonly tags?: readonly RunTag[];
  readonly wasCancelled: boolean;
  /** Estimator of histograms' percentiles. */
  readonly estimator: string;
  /** Notes about the metrics for readers. */
  readonly notes: readonly string[];
}

/** Scraping of an endpoint over the whole run. Missing values are NaN. */
export interface EndpointReport {
  readonly url: string;
  readonly totalFetches: number;
  readonly firstFetchNs: bigint;
  readonly lastFetchNs: bigint;
  readonly avgFetchLatencyMs: number;
  /** Scrapes whose text differed from the one before. */
  readonly uniqueUpdates: number;
  readonly firstUpdateNs: bigint;
  readonly lastUpdateNs: bigint;
  readonly durationSeconds: number;
  readonly avgUpdateIntervalMs: number;
  /** NaN with fewer than two updates. */
  readonly medianUpdateIntervalMs: number;
  /** Scrapes that failed, by what went wrong. */
  readonly failures: Readonly<Record<string, number>>;
  /** Scrapes that were skipped because the previous one was still in progress. */
  readonly skippedScrapes: number;
  /** The longest time that a scrape took. */
  readonly maxFetchLatencyMs: number;
  /**
   * Maximum relative error of a rate over the window, caused by the times of its two samples. The
   * server generates the response at some instant between the request and the first byte; the time
   * of the first byte is recorded.
   */
  readonly rateErrorShare: number;
  /** 99th percentile of the delay between a beat and its scrape, NaN for no loop. */
  readonly latenessP99Ms: number;
  /** Lines that could not be read. */
  readonly parseErrors: number;
  /** New series beyond the limit, which were left out. */
  readonly droppedSeries: number;
  /** Pool of its instances, or that it is a front; undefined if neither is known. */
  readonly place?: Place | undefined;
}
