// Made from the option tables by scripts/build_generated.ts, not by hand.

/** Options of what is computed and written of server metrics. */
export interface MetricsFileOptions {
  /** Formats of the server metrics files. @default ["json","csv","parquet"] */
  readonly serverMetricsFormats?: readonly string[];
  /** Layout of the JSON file: nested statistics, or flat as in older files. @default "nested" */
  readonly serverMetricsJsonLayout?: string;
  /** Estimation method for percentiles of histograms. @default "interval" */
  readonly histogramEstimator?: string;
  /**
   * Write CSV cells unchanged, even if a spreadsheet would execute them as formulas.
   * @default false
   */
  readonly csvRaw?: boolean;
  /** Also report every metric for time slices of this length. In seconds. */
  readonly sliceDuration?: number;
  /** Number of JSONL lines per write. @default 100 */
  readonly serverMetricsBatchSize?: number;
}

/** Options of scraping. */
export interface ScrapeOptions extends MetricsFileOptions {
  /** Header sent to a metrics endpoint; can be repeated. */
  readonly serverMetricsHeader?: string | readonly string[];
  /** Interval between scrapes. In seconds. @default 0.333 */
  readonly serverMetricsInterval?: number;
  /** Time for which scraping continues after the last reply. In seconds. @default 2 */
  readonly serverMetricsFlushPeriod?: number;
  /** Maximum wait for the first response of an endpoint. In seconds. @default 10 */
  readonly serverMetricsReachabilityTimeout?: number;
  /** Maximum duration of a scrape. In seconds. @default 10 */
  readonly serverMetricsTimeout?: number;
  /**
   * Maximum size of a response after decompression; a larger one fails the scrape. In bytes.
   * @default 33554432
   */
  readonly serverMetricsMaxBytes?: number;
  /** Maximum number of samples per response. @default 200000 */
  readonly serverMetricsMaxSamples?: number;
  /** Maximum number of labels per sample. @default 128 */
  readonly serverMetricsMaxLabels?: number;
  /** Maximum length of a label value. In bytes. @default 16384 */
  readonly serverMetricsMaxLabelBytes?: number;
  /**
   * Maximum number of series per endpoint; excess series are dropped and counted.
   * @default 10000
   */
  readonly serverMetricsMaxSeries?: number;
  /** Record the scraped responses as received, for inferometer replay. */
  readonly record?: string;
}

/** Options of a benchmark's server metrics. */
export interface ServerMetricsOptions extends ScrapeOptions {
  /**
   * Additional metrics endpoints, also as prefill=URL, decode=URL or front=URL; those of the
   * inference servers are detected.
   */
  readonly serverMetrics?: readonly string[];
  /** Do not collect server metrics. @default false */
  readonly noServerMetrics?: boolean;
}
