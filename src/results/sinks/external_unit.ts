import type { Metric } from "../../measurement/metrics/metric.ts";

/** A unit of the catalog as other systems have it: they count in base units. */
export interface ExternalUnit {
  /** What a value is multiplied by. */
  readonly factor: number;
  /** Its name by the Unified Code for Units of Measure, which OpenTelemetry uses. */
  readonly ucum: string;
  /** What the name of a Prometheus metric ends with; empty where it says nothing. */
  readonly suffix: string;
}

const UNITS: Readonly<Record<string, ExternalUnit>> = {
  "ns": { factor: 1e-9, ucum: "s", suffix: "seconds" },
  "ms": { factor: 1e-3, ucum: "s", suffix: "seconds" },
  "sec": { factor: 1, ucum: "s", suffix: "seconds" },
  "%": { factor: 0.01, ucum: "1", suffix: "ratio" },
  "ratio": { factor: 1, ucum: "1", suffix: "ratio" },
  "KB": { factor: 1024, ucum: "By", suffix: "bytes" },
  "tokens": { factor: 1, ucum: "{token}", suffix: "tokens" },
  "tokens/sec": { factor: 1, ucum: "{token}/s", suffix: "tokens_per_second" },
  "tokens/sec/user": { factor: 1, ucum: "{token}/s", suffix: "tokens_per_second" },
  "requests": { factor: 1, ucum: "{request}", suffix: "requests" },
  "requests/sec": { factor: 1, ucum: "{request}/s", suffix: "requests_per_second" },
  "images": { factor: 1, ucum: "{image}", suffix: "images" },
  "images/sec": { factor: 1, ucum: "{image}/s", suffix: "images_per_second" },
  "ms/image": { factor: 1e-3, ucum: "s/{image}", suffix: "seconds_per_image" },
};

/** The unit of a metric; one that is not known stays as it is. */
export function externalUnit({ unit }: Metric): ExternalUnit {
  return UNITS[unit] ?? { factor: 1, ucum: "1", suffix: "" };
}

/** Words at the end of a tag that the unit says better, or that Prometheus keeps for other things. */
const ENDING = /_(?:pct|rate|fraction|count)$/;

/**
 * The name of a metric in Prometheus: its tag behind `inferometer_`, its base unit at the end.
 * `error_request_count` is `inferometer_error_requests`, `request_latency`
 * `inferometer_request_latency_seconds`.
 */
export function prometheusName(metric: Metric): string {
  const { suffix } = externalUnit(metric);
  const isRatio = suffix === "ratio" || metric.tag.endsWith("_count");
  const stem = isRatio ? metric.tag.replace(ENDING, "") : metric.tag;
  const words = stem.split("_");
  const missing = suffix.split("_").filter((word) => word !== "");
  // `total_output_tokens` has its unit already, `request_count` is left with the one word of it.
  if (words.at(-1) === missing.join("_")) missing.length = 0;
  else if (`${words.at(-1)}s` === missing[0] && missing.length === 1) words.pop();
  return ["inferometer", ...words, ...missing].join("_");
}
