import { INNERMOST_FIRST } from "../../../telemetry/engines/engine.ts";
import { PLACES, POOLS } from "../../../telemetry/engines/place.ts";
import { ROLE_NAMES } from "../../../telemetry/engines/roles.ts";
import { TAGS } from "./tags_definition.ts";
import { SERVER_METRICS_SCHEMA_VERSION } from "../server_metrics/server_metrics_json.ts";
import {
  bounds,
  closedObject,
  count,
  DIALECT,
  flag,
  type JsonSchema,
  number,
  text,
} from "./json_schema.ts";
import { PHASE_FIELDS } from "./record_definitions.ts";

const PERCENTILES = [1, 5, 10, 25, 50, 75, 90, 95, 99];

const NANOSECONDS: JsonSchema = {
  "description": "Nanoseconds since 1970",
  "type": "integer",
};

const BUCKETS: JsonSchema = {
  "description": "Observations up to each bound, cumulative",
  "type": "object",
  "additionalProperties": { "type": "integer", "minimum": 0 },
};

const GAUGE_STATS = closedObject({
  "avg": number("Mean of the samples"),
  "min": number("Least sample"),
  "max": number("Greatest sample"),
  "std": number("Sample standard deviation"),
  ...Object.fromEntries(
    PERCENTILES.map((p) => [`p${p}`, number(`Percentile ${p} of the samples`)]),
  ),
});

const SLICED_RATES = ["rate_avg", "rate_min", "rate_max", "rate_std"];

const COUNTER_STATS = closedObject({
  "total": number("Increase since the reference, flush included; 0 after a reset below it"),
  "rate": number("Increase per second of the phase"),
  "rate_avg": number("Mean of the rates of complete slices"),
  "rate_min": number("Least rate of a complete slice"),
  "rate_max": number("Greatest rate of a complete slice"),
  "rate_std": number("Sample standard deviation of the rates of complete slices"),
}, SLICED_RATES);

const ESTIMATES = PERCENTILES.map((p) => `p${p}_estimate`);
const BOUNDS = PERCENTILES.map((p) => `p${p}_bounds`);

const HISTOGRAM_STATS = closedObject({
  "count": count("Observations, flush included"),
  "sum": number("Sum of the observations"),
  "avg": number("Exact mean of the observations"),
  "count_rate": number("Observations per second of the phase"),
  "sum_rate": number("Sum per second of the phase"),
  ...Object.fromEntries(ESTIMATES.map((name) => [name, number("Estimated percentile")])),
  ...Object.fromEntries(BOUNDS.map((name) => [name, bounds("Exact percentile")])),
}, ["sum", "avg", "count_rate", "sum_rate", ...ESTIMATES, ...BOUNDS]);

const SLICE = closedObject({
  "start_ns": NANOSECONDS,
  "end_ns": NANOSECONDS,
  "is_complete": { "description": "False for a last slice that is cut short", "const": false },
  "avg": number("Gauge: mean. Histogram: mean of the observations, 0 without any"),
  "min": number("Gauge: least sample"),
  "max": number("Gauge: greatest sample"),
  "total": number("Counter: increase"),
  "rate": number("Counter: increase per second"),
  "count": count("Histogram: observations"),
  "sum": number("Histogram: sum of the observations"),
  "buckets": BUCKETS,
}, ["is_complete", "avg", "min", "max", "total", "rate", "count", "sum", "buckets"]);

const TYPE: JsonSchema = {
  "description": "Type of the metric",
  "enum": ["gauge", "counter", "histogram", "unknown"],
};

const SERIES = closedObject({
  "endpoint_url": text("The endpoint, credentials replaced"),
  "type": { ...TYPE, "description": "Only where it differs from the metric's" },
  "labels": {
    "description": "Labels of the series; absent if there are none",
    "type": "object",
    "minProperties": 1,
    "additionalProperties": { "type": "string" },
  },
  "stats": { "anyOf": [GAUGE_STATS, COUNTER_STATS, HISTOGRAM_STATS] },
  "buckets": BUCKETS,
  "timeslices": { "description": "With --slice-duration", "type": "array", "items": SLICE },
  "counter_reset": { "description": "The numbers fell in the window", "const": true },
}, ["type", "labels", "buckets", "timeslices", "counter_reset"]);

const ENDPOINT_INFO = closedObject({
  "total_fetches": count("Scrapes that gave a page"),
  "first_fetch_ns": NANOSECONDS,
  "last_fetch_ns": NANOSECONDS,
  "avg_fetch_latency_ms": number("Mean time of a scrape; milliseconds"),
  "max_fetch_latency_ms": number("Longest time of a scrape; milliseconds"),
  "rate_error_percent": number(
    "Maximum error of a rate over the run due to the times of its two samples: twice the longest " +
      "scrape as a percentage of the profiling phase",
  ),
  "unique_updates": count("Pages that differed from the one before"),
  "first_update_ns": NANOSECONDS,
  "last_update_ns": NANOSECONDS,
  "duration_seconds": number("From the first to the last update; seconds"),
  "avg_update_interval_ms": number("Mean time between updates; milliseconds"),
  "median_update_interval_ms": number("Median time between updates; milliseconds"),
  "failed_fetches": {
    "description": "Scrapes that failed, by what went wrong",
    "type": "object",
    "additionalProperties": { "type": "integer", "minimum": 1 },
  },
  "skipped_fetches": count("Scrapes skipped because the previous scrape was still in progress"),
  "fetch_lateness_p99_ms": number("Delay of scrapes behind their schedule; milliseconds"),
  "parse_errors": count("Lines that could not be read"),
  "dropped_series": count("New series beyond the limit"),
  "place": {
    "description": "Pool of its instances, or front; absent where no pools are known",
    "enum": PLACES,
  },
}, [
  "place",
  "median_update_interval_ms",
  "fetch_lateness_p99_ms",
  "avg_fetch_latency_ms",
  "rate_error_percent",
]);

const ROLE_KEYS: Readonly<Record<string, JsonSchema>> = {
  "engines": {
    "description": "Engines that report it",
    "type": "array",
    "items": { "type": "string" },
  },
  "unit": text("Unit; absent for none"),
  "instances": count("Instances that were put together"),
  "idle_instances": count("Instances that stayed at zero"),
  "stats": {
    "description":
      "Levels: of the sum over all instances at each time, of shares over the values " +
      "of all instances. Counts: sums of increases. Times: of all observations",
    "anyOf": [
      closedObject({}, []),
      GAUGE_STATS,
      closedObject({
        "total": number("Increase, flush included"),
        "rate": number("Increase per second of the phase"),
      }, ["rate"]),
      HISTOGRAM_STATS,
    ],
  },
  "parts": {
    "description": "Roles that are split by a label: the number of each value",
    "type": "object",
    "additionalProperties": { "type": "number" },
  },
};

const ROLE = closedObject({
  ...ROLE_KEYS,
  "pools": {
    "description":
      "Instances that prefill, that decode, and that do both; absent where all do both",
    "type": "object",
    "propertyNames": { "enum": POOLS },
    "additionalProperties": closedObject(ROLE_KEYS, ["unit", "parts"]),
  },
}, ["unit", "parts", "pools"]);

const ROLES: JsonSchema = {
  "description": "Roles of the metrics of known engines, over all instances of a layer; the " +
    "innermost layer first; see docs/server_roles.md",
  "type": "object",
  "propertyNames": { "enum": ROLE_NAMES },
  "additionalProperties": {
    "type": "object",
    "propertyNames": { "enum": INNERMOST_FIRST },
    "additionalProperties": ROLE,
  },
};

const URLS: JsonSchema = { "type": "array", "items": { "type": "string" } };

/** `server_metrics_export.json` in the nested layout. */
export const SERVER_METRICS_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": `urn:inferometer:server_metrics_export.json:${SERVER_METRICS_SCHEMA_VERSION}`,
  "title": "server_metrics_export.json",
  "description": "Statistics of the servers' own metrics over the profiling phase",
  ...closedObject({
    "schema_version": {
      "description": "Version of this layout",
      "const": SERVER_METRICS_SCHEMA_VERSION,
    },
    "aiperf_version": text("The program that wrote the file; the key is the one readers know"),
    "benchmark_id": text("Names the run"),
    "summary": {
      "description": "Endpoints and the window of the statistics",
      ...closedObject({
        "endpoints_configured": { "description": "Scraped endpoints", ...URLS },
        "endpoints_successful": { "description": "Endpoints that gave data", ...URLS },
        "start_time": text("Start of the profiling phase, ISO 8601, UTC"),
        "end_time": text("End of the profiling phase, ISO 8601, UTC"),
        "endpoint_info": {
          "description": "How each endpoint was scraped over the whole run",
          "type": "object",
          "additionalProperties": ENDPOINT_INFO,
        },
      }),
    },
    "metrics": {
      "description": "Metrics by their names",
      "type": "object",
      "additionalProperties": closedObject({
        "type": TYPE,
        "description": text("The server's own words"),
        "unit": text("Unit, inferred from name and description"),
        "series": { "type": "array", "minItems": 1, "items": SERIES },
      }, ["unit"]),
    },
    "roles": ROLES,
    "input_config": { "description": "Settings of the run, secrets replaced", "type": "object" },
    "tags": TAGS,
    "was_cancelled": flag("The run was interrupted; its results are partial"),
    "histogram_estimator": text("How percentiles of histograms were estimated"),
    "notes": {
      "description": "Notes that change how the metrics are read",
      "type": "array",
      "items": { "type": "string" },
    },
  }, ["roles", "tags"]),
};

const LABELS: JsonSchema = { "type": "object", "additionalProperties": { "type": "string" } };

/** A line of `server_metrics_export.jsonl`. */
export const SERVER_METRICS_LINE_SCHEMA: JsonSchema = {
  "$schema": DIALECT,
  "$id": `urn:inferometer:server_metrics_export.jsonl:${SERVER_METRICS_SCHEMA_VERSION}`,
  "title": "server_metrics_export.jsonl",
  "description": "A line for each scrape whose page differed from the one before",
  ...closedObject({
    "endpoint_url": text("The endpoint, credentials replaced"),
    "timestamp_ns": NANOSECONDS,
    "endpoint_latency_ns": { "description": "Time of the scrape; nanoseconds", "type": "integer" },
    "metrics": {
      "description": "Metrics by their names",
      "type": "object",
      "additionalProperties": {
        "type": "array",
        "items": {
          "anyOf": [
            closedObject({ "labels": LABELS, "value": number("The reported value") }, ["labels"]),
            closedObject({
              "labels": LABELS,
              "buckets": { "type": "object", "additionalProperties": { "type": "number" } },
              "sum": number("Sum of all observations"),
              "count": number("Number of all observations"),
            }, ["labels", "buckets", "sum", "count"]),
          ],
        },
      },
    },
    "request_sent_ns": NANOSECONDS,
    "first_byte_ns": NANOSECONDS,
    ...PHASE_FIELDS,
    "benchmark_phase": {
      ...PHASE_FIELDS["benchmark_phase"],
      "description": "Phase of the run in which the scrape arrived",
    },
  }, Object.keys(PHASE_FIELDS)),
};
