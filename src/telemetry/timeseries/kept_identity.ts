import { inferUnit } from "../prometheus/infer_unit.ts";
import type { SampleSeries } from "../prometheus/exposition.ts";
import type { SampleRole } from "../prometheus/sample_role.ts";
import type { SeriesIdentity, SeriesType } from "./series.ts";

/** Since when something is counted: it belongs to the metric of the name before it. */
export const CREATED_NAME = /_created$/;
/** Uptime of a server, which grows without any load. AIPerf leaves it out. */
export const UPTIME_NAME = /_uptime$|._uptime_/;

/**
 * Returns the identity of the series that a sample belongs to; undefined if it is not kept.
 * @param redact replaces secrets in texts of the server
 */
export function keptIdentity(
  sample: SampleSeries,
  role: SampleRole,
  redact: (text: string) => string,
): SeriesIdentity | undefined {
  if (role.role === "created" || CREATED_NAME.test(role.family)) return undefined;
  if (UPTIME_NAME.test(role.family)) return undefined;
  const { labels } = sample;
  switch (role.role) {
    case "bucket":
    case "sum":
    case "count":
    case "quantile":
      if (role.type !== "histogram" && role.type !== "summary") break;
      return identityOf(role, role.family, role.type, ownLabels(labels, role), redact);
  }
  if (role.type === "summary") return undefined;
  return identityOf(role, scalarName(sample, role), scalarType(role), labels, redact);
}

function identityOf(
  { help, unit }: SampleRole,
  name: string,
  type: SeriesType,
  labels: SampleSeries["labels"],
  redact: (text: string) => string,
): SeriesIdentity {
  const isClean = labels.every(([label, value]) =>
    redact(label) === label && redact(value) === value
  );
  return {
    name: redact(name),
    type,
    // The same array as the sample's, where it can be: tens of thousands of copies add up.
    labels: isClean
      ? labels
      : labels.map(([label, value]) => [redact(label), redact(value)] as const),
    description: redact(help),
    unit: inferUnit(name, help) ?? (unit === "" || unit === null ? null : redact(unit)),
  };
}

/** Labels of a series without the one that names a part of it. */
function ownLabels(labels: SampleSeries["labels"], { role }: SampleRole): SampleSeries["labels"] {
  const part = role === "bucket" ? "le" : role === "quantile" ? "quantile" : undefined;
  return part === undefined ? labels : labels.filter(([name]) => name !== part);
}

/**
 * Returns the name of a scalar series. Parts of families that are not kept as such are separate
 * series.
 */
function scalarName(sample: SampleSeries, { family, type }: SampleRole): string {
  return type === "info" || type === "gaugehistogram" ? sample.name : family;
}

function scalarType({ type }: SampleRole): SeriesType {
  switch (type) {
    case "counter":
      return "counter";
    case "gauge":
    case "info":
    case "stateset":
    case "gaugehistogram":
      return "gauge";
    default:
      return "unknown";
  }
}
