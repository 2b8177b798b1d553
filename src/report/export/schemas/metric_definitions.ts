import { EFFICIENCY_METRICS } from "../../../telemetry/gpu/gpu_efficiency.ts";
import {
  NETWORK_ADJUSTED_METRICS,
  NETWORK_RTT,
} from "../../../measurement/metrics/network_metrics.ts";
import type { Metric } from "../../../measurement/metrics/metric.ts";
import { LEVEL_METRICS } from "../../../measurement/metrics/level_metrics.ts";
import { SESSION_METRICS, SESSION_TOTALS } from "../../../measurement/metrics/session_metrics.ts";
import type { MetricTag } from "../../../measurement/metrics/metric_tag.ts";
import {
  ERROR_ISL,
  INTER_CHUNK_LATENCY,
  RECORD_METRICS,
} from "../../../measurement/metrics/record_metrics.ts";
import {
  COST_METRICS,
  COUNT_METRICS,
  RATE_METRICS,
  SHARE_METRICS,
  TOTAL_METRICS,
} from "../../../measurement/metrics/run_metrics.ts";
import { closedObject, count, type JsonSchema } from "./json_schema.ts";

/** Units whose values are whole numbers when they stand for a whole run. */
const WHOLE_UNITS = new Set(["requests", "tokens", "ns"]);

const PERCENTILES = [1, 5, 10, 25, 50, 75, 90, 95, 99];

const LEVEL_PERCENTILES = [50, 90, 95, 99];

const UNIT: JsonSchema = { "description": "Unit of all values in this object", "type": "string" };

/** Definitions that `$defs` of a document with metric objects must hold. */
export const METRIC_DEFINITIONS: Readonly<Record<string, JsonSchema>> = {
  "distribution": {
    "description": "Statistics of a metric over all requests that have a value",
    ...closedObject({
      "unit": UNIT,
      "avg": { "description": "Arithmetic mean", "type": "number" },
      ...Object.fromEntries(PERCENTILES.map((p) => [`p${p}`, {
        "description": `Percentile ${p}, interpolated linearly between neighbours`,
        "type": "number",
      }])),
      "min": { "description": "Smallest value", "type": "number" },
      "max": { "description": "Largest value", "type": "number" },
      "std": {
        "description": "Standard deviation of the population (ddof 0)",
        "type": "number",
        "minimum": 0,
      },
      "count": {
        "description": "Number of values",
        "type": "integer",
        "minimum": 1,
      },
      "sum": { "description": "Sum of the values", "type": "number" },
    }),
  },
  "level": {
    "description":
      "Statistics of a level over time, such as requests in flight; each level is weighted by its " +
      "duration",
    ...closedObject({
      "unit": UNIT,
      "avg": { "description": "Mean over the time", "type": "number" },
      ...Object.fromEntries(LEVEL_PERCENTILES.map((p) => [`p${p}`, {
        "description": `Level not exceeded for ${p} % of the time`,
        "type": "number",
      }])),
      "min": { "description": "Lowest level", "type": "number" },
      "max": { "description": "Highest level", "type": "number" },
      "std": {
        "description": "Standard deviation over the time",
        "type": "number",
        "minimum": 0,
      },
    }),
  },
  "value": {
    "description": "A metric with one value for the whole run",
    ...closedObject({
      "unit": UNIT,
      "avg": { "description": "The figure", "type": "number" },
    }),
  },
  "metric": {
    "description": "A metric that this version of the schema does not name",
    "anyOf": ["distribution", "level", "value"].map((kind) => ({ "$ref": `#/$defs/${kind}` })),
  },
};

/** Tags of the metrics that every set of results has. */
export const ALWAYS_THERE: readonly MetricTag[] = [
  COUNT_METRICS.requestCount.tag,
  COUNT_METRICS.errorRequestCount.tag,
];

/** The metric objects that a summary may have, by their tags. */
export function metricProperties(): Record<string, JsonSchema> {
  const properties: Record<string, JsonSchema> = {};
  for (
    const metric of [
      ...[...RECORD_METRICS, INTER_CHUNK_LATENCY, ERROR_ISL, ...NETWORK_ADJUSTED_METRICS],
      ...SESSION_METRICS,
    ]
  ) {
    properties[metric.tag] = reference(metric, "distribution", {});
  }
  for (const metric of LEVEL_METRICS) properties[metric.tag] = reference(metric, "level", {});
  for (
    const metric of [
      ...TOTAL_METRICS,
      ...Object.values<Metric>(COUNT_METRICS),
      ...Object.values<Metric>(RATE_METRICS),
      ...Object.values<Metric>(SHARE_METRICS),
      ...Object.values<Metric>(COST_METRICS),
      ...Object.values<Metric>(SESSION_TOTALS),
      NETWORK_RTT,
    ]
  ) {
    const figure = WHOLE_UNITS.has(metric.unit) ? count(metric.header) : undefined;
    properties[metric.tag] = reference(metric, "value", figure ? { "avg": figure } : {});
  }
  for (const platform of ["nvidia", "amd"]) {
    for (const { name, header, unit } of EFFICIENCY_METRICS) {
      properties[`${platform}_${name}`] = reference({ header, unit }, "value", {});
    }
  }
  return properties;
}

/** Metric objects of a part of the requests, by their tags. */
export function metricsByTag(description: string): JsonSchema {
  return {
    "description": description,
    "type": "object",
    "additionalProperties": { "$ref": "#/$defs/metric" },
  };
}

/** The metrics of one request, by their tags. */
export function recordMetricProperties(): Record<string, JsonSchema> {
  const properties: Record<string, JsonSchema> = {};
  for (const metric of [...RECORD_METRICS, ERROR_ISL]) {
    properties[metric.tag] = valueOf(metric, { "type": "number" });
  }
  const { goodRequestCount } = COUNT_METRICS;
  properties[goodRequestCount.tag] = valueOf(goodRequestCount, { "enum": [0, 1] });
  properties[INTER_CHUNK_LATENCY.tag] = valueOf(INTER_CHUNK_LATENCY, {
    "type": "array",
    "items": { "type": "number", "minimum": 0 },
    "minItems": 1,
  });
  return properties;
}

function reference(
  metric: Pick<Metric, "header" | "unit">,
  kind: string,
  more: Record<string, JsonSchema>,
): JsonSchema {
  return {
    "description": `${metric.header}; ${metric.unit}`,
    "$ref": `#/$defs/${kind}`,
    "properties": { "unit": { "const": metric.unit }, ...more },
  };
}

function valueOf(metric: Metric, value: JsonSchema): JsonSchema {
  return {
    "description": `${metric.header}; ${metric.unit}`,
    ...closedObject({
      "value": { "description": "Its value for this request", ...value },
      "unit": { "description": "The unit of the value", "const": metric.unit },
    }),
  };
}
