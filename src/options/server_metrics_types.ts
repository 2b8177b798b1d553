// Made from the option tables by scripts/build_generated.ts, not by hand.

/** Options of what is computed and written of server metrics. */
export interface MetricsFileOptions {
  /** Files of server metrics. @default ["json","csv","parquet"] */
  readonly serverMetricsFormats?: readonly string[];
  /**
   * Layout of the JSON: statistics in an object of their own, or in the series as once.
   * @default "nested"
   */
  readonly serverMetricsJsonLayout?: string;
  /** How percentiles are estimated from histograms. @default "polynomial" */
  readonly histogramEstimator?: string;
  /**
   * Leave cells of the CSV as they are, also those that a spreadsheet would run as formulas.
   * @default false
   */
  readonly csvRaw?: boolean;
  /** Also give every metric for slices of time so long. In seconds. */
  readonly sliceDuration?: number;
  /** Lines of JSONL that are gathered before they are written. @default 100 */
  readonly serverMetricsBatchSize?: number;
}

/** Options of scraping. */
export interface ScrapeOptions extends MetricsFileOptions {
  /** Time from one scrape to the next. In seconds. @default 0.333 */
  readonly serverMetricsInterval?: number;
  /** For so long scraping goes on after the last response. In seconds. @default 2 */
  readonly serverMetricsFlushPeriod?: number;
  /** Longest that an endpoint's first answer may take. In seconds. @default 10 */
  readonly serverMetricsReachabilityTimeout?: number;
  /** Longest that a scrape may take. In seconds. @default 10 */
  readonly serverMetricsTimeout?: number;
  /**
   * Largest page after decompression; a larger one is a failed scrape. In bytes.
   * @default 33554432
   */
  readonly serverMetricsMaxBytes?: number;
  /** Most samples of a page. @default 200000 */
  readonly serverMetricsMaxSamples?: number;
  /** Most labels of a sample. @default 128 */
  readonly serverMetricsMaxLabels?: number;
  /** Longest value of a label. In bytes. @default 16384 */
  readonly serverMetricsMaxLabelBytes?: number;
  /** Most different series of an endpoint; further ones are left out and counted. @default 10000 */
  readonly serverMetricsMaxSeries?: number;
  /** Keep the metrics pages as they came, for inferometer replay. */
  readonly record?: string;
}

/** Options of a benchmark's server metrics. */
export interface ServerMetricsOptions extends ScrapeOptions {
  /** Further metrics endpoints; those of the servers themselves are found by themselves. */
  readonly serverMetrics?: readonly string[];
  /** Collect no server metrics. @default false */
  readonly noServerMetrics?: boolean;
}
