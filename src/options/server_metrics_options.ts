import type { ServerMetricsOptions } from "./server_metrics_types.ts";
import { HISTOGRAM_ESTIMATORS } from "../statistics/histogram/histogram_estimators.ts";
import type { OptionSpec } from "./option.ts";

type Spec = OptionSpec<keyof ServerMetricsOptions & string>;

/** Heading of these options in help. */
export const SERVER_METRICS = "Server metrics";

/** Variables of both spellings, as AIPerf's users set them. */
function variables(name: string): readonly string[] {
  return [`INFEROMETER_SERVER_METRICS_${name}`, `AIPERF_SERVER_METRICS_${name}`];
}

/** Options of what is computed and written of metrics. */
export const METRICS_FILE_OPTION_SPECS: readonly Spec[] = [
  {
    name: "serverMetricsFormats",
    kind: "texts",
    group: SERVER_METRICS,
    help: "Files of server metrics",
    value: "format",
    choices: ["json", "csv", "parquet", "jsonl"],
    fallback: "json csv parquet",
    example: "--server-metrics-formats json jsonl",
  },
  {
    name: "histogramEstimator",
    kind: "text",
    group: SERVER_METRICS,
    help: "How percentiles are estimated from histograms",
    value: "name",
    choices: [...HISTOGRAM_ESTIMATORS.keys()],
    fallback: "polynomial",
  },
  {
    name: "serverMetricsJsonLayout",
    kind: "text",
    group: SERVER_METRICS,
    help: "Layout of the JSON: statistics in an object of their own, or in the series as once",
    value: "layout",
    choices: ["nested", "flat"],
    fallback: "nested",
  },
  {
    name: "csvRaw",
    kind: "flag",
    group: SERVER_METRICS,
    help: "Leave cells of the CSV as they are, also those that a spreadsheet would run as formulas",
  },
  {
    name: "serverMetricsBatchSize",
    kind: "number",
    group: SERVER_METRICS,
    help: "Lines of JSONL that are gathered before they are written",
    value: "lines",
    fallback: "100",
    variables: variables("EXPORT_BATCH_SIZE"),
  },
];

/** Options of scraping. */
export const SCRAPE_OPTION_SPECS: readonly Spec[] = [
  {
    name: "serverMetricsInterval",
    kind: "duration",
    group: SERVER_METRICS,
    help: "Time from one scrape to the next",
    value: "seconds",
    fallback: "0.333",
    example: "--server-metrics-interval 1s",
    variables: variables("COLLECTION_INTERVAL"),
  },
  {
    name: "serverMetricsFlushPeriod",
    kind: "duration",
    group: SERVER_METRICS,
    help: "For so long scraping goes on after the last response",
    value: "seconds",
    fallback: "2",
    variables: variables("COLLECTION_FLUSH_PERIOD"),
  },
  {
    name: "serverMetricsReachabilityTimeout",
    kind: "duration",
    group: SERVER_METRICS,
    help: "Longest that an endpoint's first answer may take",
    value: "seconds",
    fallback: "10",
    variables: ["AIPERF_SERVER_METRICS_REACHABILITY_TIMEOUT"],
  },
  {
    name: "serverMetricsTimeout",
    kind: "duration",
    group: SERVER_METRICS,
    help: "Longest that a scrape may take",
    value: "seconds",
    fallback: "10",
  },
  {
    name: "serverMetricsMaxBytes",
    kind: "number",
    group: SERVER_METRICS,
    help: "Largest page after decompression; a larger one is a failed scrape",
    value: "bytes",
    fallback: "33554432",
  },
  {
    name: "serverMetricsMaxSamples",
    kind: "number",
    group: SERVER_METRICS,
    help: "Most samples of a page",
    value: "count",
    fallback: "200000",
  },
  {
    name: "serverMetricsMaxLabels",
    kind: "number",
    group: SERVER_METRICS,
    help: "Most labels of a sample",
    value: "count",
    fallback: "128",
  },
  {
    name: "serverMetricsMaxLabelBytes",
    kind: "number",
    group: SERVER_METRICS,
    help: "Longest value of a label",
    value: "bytes",
    fallback: "16384",
  },
  {
    name: "serverMetricsMaxSeries",
    kind: "number",
    group: SERVER_METRICS,
    help: "Most different series of an endpoint; further ones are left out and counted",
    value: "count",
    fallback: "10000",
  },
  {
    name: "record",
    kind: "text",
    group: SERVER_METRICS,
    help: "Keep the metrics pages as they came, for inferometer replay",
    value: "file",
    example: "--record pages.jsonl",
  },
];

/** Options of `inferometer profile` about server metrics. */
export const SERVER_METRICS_OPTION_SPECS: readonly Spec[] = [
  {
    name: "serverMetrics",
    kind: "texts",
    group: SERVER_METRICS,
    help: "Further metrics endpoints; those of the servers themselves are found by themselves",
    value: "url",
    example: "--server-metrics http://node1:8002 node2:8081",
  },
  {
    name: "noServerMetrics",
    kind: "flag",
    group: SERVER_METRICS,
    help: "Collect no server metrics",
  },
  ...METRICS_FILE_OPTION_SPECS,
  ...SCRAPE_OPTION_SPECS,
];
