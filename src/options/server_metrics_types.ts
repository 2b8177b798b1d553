/** Options of everything that has to do with the metrics that servers tell of themselves. */
export interface MetricsFileOptions {
  /** json, csv, parquet, jsonl. @default ["json", "csv", "parquet"] */
  readonly serverMetricsFormats?: readonly string[];
  /** nested or flat. @default "nested" */
  readonly serverMetricsJsonLayout?: string;
  /** How percentiles are estimated from histograms. @default "polynomial" */
  readonly histogramEstimator?: string;
  /** Leaves cells alone that a spreadsheet would run as formulas. @default false */
  readonly csvRaw?: boolean;
  /** Seconds. */
  readonly sliceDuration?: number;
  /** Lines that are gathered before they are written. @default 100 */
  readonly serverMetricsBatchSize?: number;
}

/** Options of scraping. */
export interface ScrapeOptions extends MetricsFileOptions {
  /** Seconds between scrapes. @default 0.333 */
  readonly serverMetricsInterval?: number;
  /** Seconds for which scraping goes on after the last response. @default 2 */
  readonly serverMetricsFlushPeriod?: number;
  /** Seconds for an endpoint's first answer. @default 10 */
  readonly serverMetricsReachabilityTimeout?: number;
  /** Seconds for a scrape. @default 10 */
  readonly serverMetricsTimeout?: number;
  /** Bytes of a page after decompression. @default 33554432 */
  readonly serverMetricsMaxBytes?: number;
  /** Samples of a page. @default 100000 */
  readonly serverMetricsMaxSamples?: number;
  /** Labels of a sample. @default 128 */
  readonly serverMetricsMaxLabels?: number;
  /** Bytes of a label's value. @default 16384 */
  readonly serverMetricsMaxLabelBytes?: number;
  /** Different series of an endpoint in the run. @default 10000 */
  readonly serverMetricsMaxSeries?: number;
  /** File that gets the pages as they came. */
  readonly record?: string;
}

/** Options of a benchmark's metrics. */
export interface ServerMetricsOptions extends ScrapeOptions {
  /** Further endpoints. */
  readonly serverMetrics?: readonly string[];
  /** @default false */
  readonly noServerMetrics?: boolean;
}
