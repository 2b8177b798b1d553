import type { Reconciliation } from "../report/profile_report.ts";
import { serverKinds } from "../report/server_kinds.ts";
import type {
  MetricReport,
  SeriesReport,
  ServerMetricsReport,
} from "../report/server_metrics_report.ts";
import { fullNumber, shortNumber } from "./number_text.ts";
import { printableText } from "./printable_text.ts";
import { narrowestWidth, renderTable, tableWidth, type TextTable } from "./text_table.ts";
import { wrapText } from "./wrap_text.ts";

/** Rows of one metric; further series are only counted. */
const MAX_SERIES = 4;
/** Names are not made narrower than this: they have no blanks to be wrapped at. */
const MAX_NAME_WIDTH = 40;
/** Longest name or label value. */
const MAX_TEXT = 60;
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
 * The metrics that tell most about the server at hand, a table for each kind of server that is
 * recognised. Percentiles of histograms are marked as the estimates that they are.
 */
export function keyMetricsTables(report: ServerMetricsReport, width: number): [string, string][] {
  return serverKinds(report.metrics.map(({ name }) => name)).flatMap((kind) => {
    const metrics = kind.keyMetrics.flatMap(({ name }) =>
      report.metrics.filter((metric) => metric.name === name)
    );
    const [prefix = ""] = kind.prefixes;
    const table = (): [string, string] => [kind.name, keyTable(metrics, prefix, width)];
    return metrics.length === 0 ? [] : [table()];
  });
}

/** On a narrow screen, names lose what the title says already; then columns are given up. */
function keyTable(metrics: readonly MetricReport[], prefix: string, width: number): string {
  let rows = metrics.flatMap((metric) => metricRows(metric, metric.name, metric.unit));
  let used = COLUMNS.filter((_, index) => rows.some((row) => row[index + 1] !== ""));
  let table = tableOf(rows, used);
  if (tableWidth(table) > width) {
    rows = metrics.flatMap((metric) => metricRows(metric, metric.name.slice(prefix.length), null));
    table = tableOf(rows, used);
  }
  for (const dispensable of DISPENSABLE) {
    if (narrowestWidth(table) <= width) break;
    used = used.filter(([title]) => title !== dispensable);
    table = tableOf(rows, used);
  }
  return renderTable(table, width);
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

function metricRows(metric: MetricReport, name: string, unit: string | null): string[][] {
  const varying = varyingLabels(metric.series);
  const rows = metric.series.slice(0, MAX_SERIES).map((series) => [
    titleOf(name, unit, series, varying),
    ...COLUMNS.map(([, stat]) => {
      const value = statOf(series, stat);
      return value === undefined ? "" : (stat.endsWith("_estimate") ? "~" : "") + number(value);
    }),
  ]);
  const more = metric.series.length - MAX_SERIES;
  if (more > 0) rows.push([`  and ${more} more series`, ...COLUMNS.map(() => "")]);
  return rows;
}

/** Of histograms, the rate is that of observations and the total their number. */
function statOf({ type, stats }: SeriesReport, stat: string): number | undefined {
  if (type !== "histogram") return stats[stat];
  return stat === "rate" ? stats["count_rate"] : stat === "total" ? stats["count"] : stats[stat];
}

function titleOf(
  name: string,
  unit: string | null,
  series: SeriesReport,
  varying: ReadonlySet<string>,
): string {
  const labels = labelsOf(series).filter(([label]) => varying.has(label)).map(([label, value]) =>
    `${printableText(label, MAX_TEXT)}=${printableText(value, MAX_TEXT)}`
  );
  const shown = labels.length === 0 ? "" : ` {${labels.join(", ")}}`;
  return `${printableText(name, MAX_TEXT)}${shown}${unit === null ? "" : ` (${unit})`}`;
}

/** What tells a series from others of its name: where it is from, and its labels. */
function labelsOf({ endpointUrl, labels }: SeriesReport): SeriesReport["labels"] {
  const endpoint = endpointUrl.replace(/^[a-z]+:\/\//i, "").replace(/\/metrics$/, "");
  return [["endpoint", endpoint], ...labels];
}

function varyingLabels(series: readonly SeriesReport[]): Set<string> {
  const values = new Map<string, Set<string>>();
  for (const one of series) {
    for (const [name, value] of labelsOf(one)) {
      const known = values.get(name);
      if (known === undefined) values.set(name, new Set([value]));
      else known.add(value);
    }
  }
  const varying = new Set([...values].filter(([, { size }]) => size > 1).map(([name]) => name));
  return varying;
}

/** The client's figures beside the server's, and below them what does not explain itself. */
export function reconciliationTable(rows: readonly Reconciliation[], width: number): string {
  const table = renderTable({
    head: ["", "client", "server", "difference"],
    rows: rows.map(({ quantity, unit, client, server, estimated, doubt }) => [
      quantity === unit ? quantity : `${quantity} (${unit})`,
      number(client),
      (estimated ? "~" : "") + number(server),
      // An estimate may be off by as much itself.
      estimated ? "" : differenceText(client, server) + (doubt === undefined ? "" : " !"),
    ]),
    flexible: 0,
    minFlexible: 20,
    alignments: ["left", "right", "right", "right"],
  }, width);
  const doubts = rows.filter(({ doubt }) => doubt !== undefined)
    .flatMap(({ quantity, doubt }) => wrapText(`  ! ${quantity}: ${doubt}`, width, 4));
  return [table, ...doubts].join("\n");
}

function differenceText(client: number, server: number): string {
  const difference = client - server;
  if (difference === 0) return "0";
  const share = server === 0 ? "" : ` (${(difference / server * 100).toFixed(1)} %)`;
  return `${difference > 0 ? "+" : ""}${number(difference)}${share}`;
}

/** Small figures keep three digits: latencies are told in seconds. */
function number(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return fullNumber(value).slice(0, -3);
  const size = Math.abs(value);
  return size > 0 && size < 1 ? String(Number(value.toPrecision(3))) : shortNumber(value);
}
