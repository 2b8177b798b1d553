/** Statistics of the series of server metrics. */

import type { Rates } from "../../core/statistics/counter_statistics.ts";
import type { Bucket } from "../../core/statistics/histogram/histogram_statistics.ts";
import type { PercentileBounds } from "../../core/statistics/histogram/percentile_bounds.ts";
import type { SeriesType } from "../../telemetry/timeseries/series.ts";

/** A metric: the series of one name on all endpoints. */
export interface MetricReport {
  readonly name: string;
  /** Type of its first series; others carry their own. */
  readonly type: SeriesType;
  readonly description: string;
  readonly unit: string | null;
  /** By endpoint, then by labels. */
  readonly series: readonly SeriesReport[];
}

/** The statistics of one series. */
export interface SeriesReport {
  readonly name: string;
  readonly endpointUrl: string;
  readonly type: SeriesType;
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly description: string;
  readonly unit: string | null;
  /**
   * Statistics by their wire names, in the order of the files; undefined statistics are missing.
   */
  readonly stats: Readonly<Record<string, number>>;
  /** Between which values a histogram's percentiles certainly lie, by the names of the estimates. */
  readonly bounds?: Readonly<Record<string, PercentileBounds>>;
  readonly buckets: readonly Bucket[] | undefined;
  /** Last quantiles of a summary, over the server's whole life. */
  readonly quantiles: readonly (readonly [quantile: string, value: number])[] | undefined;
  /** Rates of a counter from one change to the next. */
  readonly changeRates: Rates | undefined;
  readonly slices: readonly SliceReport[] | undefined;
  /** Whether monotonic numbers decreased in the window: a server restart. */
  readonly reset: boolean;
}

/** The statistics of a series in a slice. */
export interface SliceReport {
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly isComplete: boolean;
  readonly stats: Readonly<Record<string, number>>;
  readonly buckets: readonly Bucket[] | undefined;
}
