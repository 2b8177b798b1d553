import { HISTOGRAM_ESTIMATOR_NAMES } from "../../../core/statistics/histogram/histogram_estimator.ts";
import { COUNT, SCRAPE_TIMEOUT, SECONDS } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";
import type { Settings } from "../settings.ts";

/** Heading of the options about metrics in general. */
export const METRICS = "Metrics";

const SERVER_METRICS = "Server metrics";

/** Options of what is computed and written of metrics. */
export const METRICS_FILE_OPTIONS = {
  serverMetricsFormats: {
    kind: "texts",
    group: SERVER_METRICS,
    help: "Formats of the server metrics files",
    value: "format",
    choices: ["json", "csv", "parquet", "jsonl"],
    words: true,
    default: ["json", "csv", "parquet"],
    example: "--server-metrics-formats json jsonl",
  },
  serverMetricsJsonLayout: {
    kind: "text",
    group: SERVER_METRICS,
    help: "Layout of the JSON file: nested statistics, or flat as in older files",
    value: "layout",
    choices: ["nested", "flat"],
    default: "nested",
  },
  histogramEstimator: {
    kind: "text",
    group: SERVER_METRICS,
    help: "Estimation method for percentiles of histograms",
    value: "name",
    choices: HISTOGRAM_ESTIMATOR_NAMES,
    default: "interval",
  },
  csvRaw: {
    kind: "flag",
    group: SERVER_METRICS,
    help: "Write CSV cells unchanged, even if a spreadsheet would execute them as formulas",
  },
  sliceDuration: {
    ...SECONDS,
    group: METRICS,
    help: "Also report every metric for time slices of this length",
    min: 0.001,
    example: "--slice-duration 10",
  },
  serverMetricsBatchSize: {
    ...COUNT,
    group: SERVER_METRICS,
    help: "Number of JSONL lines per write",
    value: "lines",
    unit: "lines",
    max: 1_000_000,
    default: 100,
    variables: variables("EXPORT_BATCH_SIZE"),
  },
} as const satisfies OptionTable;

/** Options of scraping and of its results. */
export const SCRAPING_OPTIONS = {
  ...METRICS_FILE_OPTIONS,
  serverMetricsHeader: {
    kind: "texts",
    group: SERVER_METRICS,
    help: "Header sent to a metrics endpoint; can be repeated",
    value: "url=name:value",
    secret: "urlHeader",
    single: true,
    mistakenFor: ["metrics-header", "server-metrics-headers"],
    example: '--server-metrics-header "http://node1:8002=X-Key: a"',
  },
  serverMetricsInterval: {
    ...SECONDS,
    group: SERVER_METRICS,
    help: "Interval between scrapes",
    min: 0.01,
    max: 3600,
    default: 0.333,
    example: "--server-metrics-interval 1s",
    variables: variables("COLLECTION_INTERVAL"),
  },
  serverMetricsFlushPeriod: {
    ...SECONDS,
    group: SERVER_METRICS,
    help: "Time for which scraping continues after the last reply",
    max: 3600,
    default: 2,
    variables: variables("COLLECTION_FLUSH_PERIOD"),
  },
  serverMetricsReachabilityTimeout: {
    ...SCRAPE_TIMEOUT,
    group: SERVER_METRICS,
    help: "Maximum wait for the first response of an endpoint",
    default: 10,
    variables: ["AIPERF_SERVER_METRICS_REACHABILITY_TIMEOUT"],
  },
  serverMetricsTimeout: {
    ...SCRAPE_TIMEOUT,
    group: SERVER_METRICS,
    help: "Maximum duration of a scrape",
    default: 10,
  },
  serverMetricsMaxBytes: {
    ...COUNT,
    group: SERVER_METRICS,
    help: "Maximum size of a response after decompression; a larger one fails the scrape",
    value: "bytes",
    unit: "bytes",
    max: 1_000_000_000,
    default: 33_554_432,
  },
  serverMetricsMaxSamples: {
    ...COUNT,
    group: SERVER_METRICS,
    help: "Maximum number of samples per response",
    unit: "samples",
    max: 10_000_000,
    default: 200_000,
  },
  serverMetricsMaxLabels: {
    ...COUNT,
    group: SERVER_METRICS,
    help: "Maximum number of labels per sample",
    unit: "labels",
    max: 100_000,
    default: 128,
  },
  serverMetricsMaxLabelBytes: {
    ...COUNT,
    group: SERVER_METRICS,
    help: "Maximum length of a label value",
    value: "bytes",
    unit: "bytes",
    max: 100_000_000,
    default: 16_384,
  },
  serverMetricsMaxSeries: {
    ...COUNT,
    group: SERVER_METRICS,
    help: "Maximum number of series per endpoint; excess series are dropped and counted",
    unit: "series",
    max: 10_000_000,
    default: 10_000,
  },
  record: {
    kind: "text",
    group: SERVER_METRICS,
    help: "Record the scraped responses as received, for inferometer replay",
    value: "file",
    completes: "file",
    example: "--record pages.jsonl",
  },
} as const satisfies OptionTable;

/** The options of scraping, checked, defaults filled in. */
export type ScrapingSettings = Settings<typeof SCRAPING_OPTIONS>;

/** Options of a benchmark about server metrics. */
export const SERVER_METRICS_OPTIONS = {
  serverMetrics: {
    kind: "texts",
    group: SERVER_METRICS,
    help:
      "Additional metrics endpoints, also as prefill=URL, decode=URL or front=URL; those of the " +
      "inference servers are detected",
    value: "url",
    common: true,
    mistakenFor: ["metrics-url", "metrics"],
    secret: "url",
    words: true,
    example: "--server-metrics prefill=http://node1:8002 decode=node2:8081",
  },
  noServerMetrics: {
    kind: "flag",
    group: SERVER_METRICS,
    help: "Do not collect server metrics",
    excludes: ["serverMetrics", "serverMetricsHeader", "serverMetricsFormats", "record"],
  },
  ...SCRAPING_OPTIONS,
} as const satisfies OptionTable;

/** Variables of both spellings, as AIPerf's users set them. */
function variables(name: string): readonly string[] {
  return [`INFEROMETER_SERVER_METRICS_${name}`, `AIPERF_SERVER_METRICS_${name}`];
}
