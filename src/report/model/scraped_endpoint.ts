import type { RunTag } from "../../config/plan/run_plan.ts";
import type { HistogramEstimator } from "../../core/statistics/histogram/histogram_estimator.ts";
import type { EndpointSeries } from "../../telemetry/timeseries/endpoint_series.ts";
import type { Place } from "../../telemetry/engines/place.ts";
import type { TimeWindow } from "../../telemetry/timeseries/time_window.ts";

/** An endpoint and how its scraping went. */
export interface ScrapedEndpoint {
  /** URL without secrets. */
  readonly url: string;
  readonly series: EndpointSeries;
  /** Scrapes that failed, by what went wrong. */
  readonly failures: ReadonlyMap<string, number>;
  readonly skippedScrapes: number;
  /** Delays between the beats of the grid and their scrapes, in milliseconds. */
  readonly latenessMs: Float64Array;
  readonly droppedSeries: number;
  /** Place as the user states it; undefined for none. */
  readonly place?: Place | undefined;
  /** Whether it is that of an inference server that requests are sent to. */
  readonly isOwn?: boolean | undefined;
  /** Why it is not scraped; undefined if it is. */
  readonly disabled?: string | undefined;
}

/** Settings of a report besides the endpoints. */
export interface ServerMetricsContext {
  readonly benchmarkId: string;
  /** URLs of all endpoints that were scraped, as they may be shown. */
  readonly endpointsConfigured: readonly string[];
  /** The profiling phase on the run's clock. */
  readonly window: TimeWindow;
  readonly sliceNs: number | undefined;
  readonly estimator: HistogramEstimator;
  readonly baseEpochNs: bigint;
  readonly inputConfig: Readonly<Record<string, unknown>>;
  /** Models that the run asked for. */
  readonly models?: readonly string[] | undefined;
  readonly tags?: readonly RunTag[];
  readonly wasCancelled: boolean;
  readonly notes: readonly string[];
}
