import { knownName } from "../../telemetry/engines/page_engines.ts";
import { SHARE_NAMES, SHARES } from "../../telemetry/engines/roles.ts";
import { keyMetrics } from "../model/key_metrics.ts";
import type { Reconciliation } from "../model/profile_report.ts";
import type { ServerMetricsReport } from "../model/server_metrics_report.ts";
import type { MetricReport, SeriesReport } from "../model/series_report.ts";
import type { SeenEngine, ServerRoles } from "../model/server_roles.ts";
import { shortNumber, wholeNumber } from "./number_text.ts";
import { printableText } from "./printable_text.ts";
import { narrowestWidth, renderTable, tableWidth, type TextTable } from "./text_table.ts";
import { wrapText } from "./wrap_text.ts";

/** Rows of one metric; further series are only counted. */
const MAX_SERIES = 4;
/** Minimum width of names, which have no spaces to be wrapped at. */
const MAX_NAME_WIDTH = 40;
/** Longest name or label value. */
const MAX_TEXT = 60;
/** Names for where a series is from; the first one that is no label of the metric's own counts. */
const ENDPOINT_LABELS = ["endpoint", "endpoint_url"];
const COLUMNS = [
  ["avg", "avg"],
  ["max", "max"],
  ["total", "total"],
  ["rate", "rate"],
  ["p50", "p50_estimate"],
  ["p90", "p90_estimate"],
  ["p99", "p99_estimate"],
] as const;
type Column = (typeof COLUMNS)[number];
/** Columns in the order in which they are given up on a narrow screen. */
const DISPENSABLE = ["p90", "total", "max", "p50"];

/**
 * The key metrics of the servers, a table for each engine that is recognised. Percentiles of histograms are marked as the estimates that they are. What stayed at
 * zero gives way to what did not, and is named below the table.
 */
export function keyMetricsTables(report: ServerMetricsReport, width: number): [string, string][] {
  const { roles } = report;
  return roles.engines.flatMap((seen): [string, string][] => {
    const metrics = keyMetrics(seen);
    return metrics.length === 0
      ? []
      : [[seen.engine.name, keyTable(metrics, shareRows(seen, roles), width)]];
  });
}

/** Shortens names on a narrow terminal by the parts that the title contains; then drops columns. */
function keyTable(
  metrics: readonly MetricReport[],
  shares: readonly string[][],
  width: number,
): string {
  const bareName = (name: string): string => knownName(name)?.bare ?? name;
  const busy = metrics.filter((metric) => isLevel(metric) || metric.series.some(isActive));
  const shown = busy.length === 0 ? metrics : busy;
  const rowsNamed = (nameOf: (metric: MetricReport) => string): string[][] => [
    ...shown.flatMap((metric) => metricRows(metric, nameOf(metric))),
    ...shares,
  ];
  let rows = rowsNamed(({ name }) => name);
  let used = COLUMNS.filter((_, index) => rows.some((row) => row[index + 1] !== ""));
  let table = tableOf(rows, used);
  if (tableWidth(table) > width) {
    rows = rowsNamed(({ name }) => bareName(name));
    table = tableOf(rows, used);
  }
  for (const dispensable of DISPENSABLE) {
    if (narrowestWidth(table) <= width) break;
    used = used.filter(([title]) => title !== dispensable);
    table = tableOf(rows, used);
  }
  const quiet = metrics.filter((metric) => !shown.includes(metric))
    .map(({ name }) => bareName(name));
  const note = quiet.length === 0
    ? []
    : wrapText(`  zero throughout: ${quiet.join(", ")}`, width, 4);
  return [renderTable(table, width), ...note].join("\n");
}

function tableOf(rows: readonly (readonly string[])[], used: readonly Column[]): TextTable {
  const kept = [0, ...used.map((column) => COLUMNS.indexOf(column) + 1)];
  return {
    head: ["Metric", ...used.map(([title]) => title)],
    rows: rows.map((row) => kept.map((column) => row[column] as string)),
    flexible: 0,
    minFlexible: Math.min(MAX_NAME_WIDTH, Math.max(...rows.map(([name = ""]) => name.length))),
    alignments: ["left", ...used.map(() => "right" as const)],
  };
}

/** Whether a metric is a level: zero is as informative as any other value. */
function isLevel({ type }: MetricReport): boolean {
  return type !== "counter" && type !== "histogram";
}

/** Whether anything but zero was seen of a series. */
function isActive({ type, stats, reset }: SeriesReport): boolean {
  // A total that is zero because it was clamped says nothing about the load.
  if (reset) return true;
  if (type === "counter") return stats["total"] !== 0;
  if (type === "histogram") return stats["count"] !== 0;
  return stats["min"] !== 0 || stats["max"] !== 0;
}

/** Series that stayed at zero, as those of earlier runs, have no rows; all of them together have one. */
function metricRows(metric: MetricReport, name: string): string[][] {
  const labels = varyingLabels(metric.series);
  const active = metric.series.filter(isActive);
  const series = active.length === 0 ? metric.series.slice(0, 1) : active;
  const rows = series.slice(0, MAX_SERIES).map((one) => [
    titleOf(name, metric.unit, active.length === 0 ? [] : labels.get(one) ?? []),
    ...COLUMNS.map(([, stat]) => {
      const value = statOf(one, stat);
      return value === undefined ? "" : (stat.endsWith("_estimate") ? "~" : "") + number(value);
    }),
  ]);
  const more = series.length - MAX_SERIES;
  if (more > 0) rows.push([`  and ${more} more series`, ...COLUMNS.map(() => "")]);
  return rows;
}

function shareRows({ engine }: SeenEngine, roles: ServerRoles): string[][] {
  return SHARE_NAMES.flatMap((name) => {
    const value = roles.share(name, { engine });
    if (value === undefined) return [];
    const cells = COLUMNS.map(([title]) => title === "avg" ? number(value) : "");
    return [[titleOf(SHARES[name].title, SHARES[name].plus ? null : "ratio", []), ...cells]];
  });
}

/** The rate of a histogram is that of its observations, the total their number. */
function statOf({ type, stats }: SeriesReport, stat: string): number | undefined {
  if (type !== "histogram") return stats[stat];
  return stat === "rate" ? stats["count_rate"] : stat === "total" ? stats["count"] : stats[stat];
}

function titleOf(name: string, unit: string | null, labels: SeriesReport["labels"]): string {
  const texts = labels.map(([label, value]) =>
    `${printableText(label, MAX_TEXT)}=${printableText(value, MAX_TEXT)}`
  );
  const shown = texts.length === 0 ? "" : ` {${texts.join(", ")}}`;
  const suffix = unit === null ? "" : ` (${printableText(unit, MAX_TEXT)})`;
  return `${printableText(name, MAX_TEXT)}${shown}${suffix}`;
}

/** Labels that distinguish each series from the others of its name, its endpoint among them. */
function varyingLabels(
  series: readonly SeriesReport[],
): ReadonlyMap<SeriesReport, SeriesReport["labels"]> {
  const taken = new Set(series.flatMap(({ labels }) => labels.map(([label]) => label)));
  const endpointLabel = ENDPOINT_LABELS.find((label) => !taken.has(label)) ?? "scraped at";
  const all = series.map((one): [SeriesReport, SeriesReport["labels"]] => [one, [
    [endpointLabel, one.endpointUrl.replace(/^[a-z]+:\/\//i, "").replace(/\/metrics$/, "")],
    ...one.labels,
  ]]);
  const values = new Map<string, Set<string>>();
  for (const [label, value] of all.flatMap(([, labels]) => labels)) {
    const known = values.get(label);
    if (known === undefined) values.set(label, new Set([value]));
    else known.add(value);
  }
  // A label without a value is none.
  const tells = ([label, value]: readonly [string, string]): boolean =>
    value !== "" && (values.get(label)?.size ?? 0) > 1;
  return new Map(all.map(([one, labels]) => [one, labels.filter(tells)]));
}

/** Returns the client's metrics next to the server's, followed by the unexplained differences. */
export function reconciliationTable(rows: readonly Reconciliation[], width: number): string {
  const table = renderTable({
    head: ["", "client", "server", "difference"],
    rows: rows.map((row) => {
      const { quantity, unit, client, server, sources, estimated, doubt } = row;
      return [
        sources !== undefined
          ? `${quantity}: ${sources.join(" / ")}`
          : quantity === unit
          ? quantity
          : `${quantity} (${unit})`,
        number(client),
        (estimated ? "~" : "") + number(server),
        estimated
          ? estimatedDifferenceText(row)
          : differenceText(client, server) + (doubt === undefined ? "" : " !"),
      ];
    }),
    flexible: 0,
    minFlexible: 20,
    alignments: ["left", "right", "right", "right"],
  }, width);
  const doubts = rows.filter(({ doubt }) => doubt !== undefined)
    .flatMap(({ quantity, doubt }) => wrapText(`  ! ${quantity}: ${doubt}`, width, 4));
  return [table, ...doubts].join("\n");
}

/**
 * Returns the difference to an estimate, which has an error itself: the bounds of the exact value
 * decide.
 */
function estimatedDifferenceText({ client, serverBounds }: Reconciliation): string {
  if (serverBounds === undefined) return "";
  const nearest = Math.min(Math.max(client, serverBounds[0]), serverBounds[1]);
  if (nearest === client) return "consistent";
  return `${client > nearest ? "≥" : "≤"} ${differenceText(client, nearest)}`;
}

function differenceText(client: number, server: number): string {
  const difference = client - server;
  if (difference === 0) return "0";
  const share = server === 0 ? "" : ` (${(difference / server * 100).toFixed(1)} %)`;
  return `${difference > 0 ? "+" : ""}${number(difference)}${share}`;
}

/** Formats a number; small ones keep three digits, because latencies are in seconds. */
function number(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return wholeNumber(value);
  const size = Math.abs(value);
  return size > 0 && size < 1 ? String(Number(value.toPrecision(3))) : shortNumber(value);
}
