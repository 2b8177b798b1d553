/**
 * `server_metrics_export.csv`: five sections, a blank row between them. Each has its own columns,
 * labels among them, and is a table of its own to a reader that splits the file at blank lines.
 */

import { stringify } from "npm:csv-stringify@6.9.0/sync";
import { escapedControls } from "../../../core/files/escaped_controls.ts";
import { compare } from "../../model/label_order.ts";
import type { ServerMetricsReport } from "../../model/server_metrics_report.ts";
import type { SeriesReport } from "../../model/series_report.ts";
import { shortEndpoints } from "./short_endpoints.ts";

const GAUGE_STATS = [
  ...["avg", "min", "max", "std", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"],
];
const COUNTER_STATS = ["total", "rate", "rate_avg", "rate_min", "rate_max", "rate_std"];
const HISTOGRAM_STATS = [
  ...["count", "count_rate", "sum", "sum_rate", "avg", "p1_estimate", "p5_estimate"],
  ...["p10_estimate", "p25_estimate", "p50_estimate", "p75_estimate", "p90_estimate"],
  ...["p95_estimate", "p99_estimate"],
];

/**
 * Cell that a spreadsheet would run as a formula, also behind whitespace and in the wide and small
 * characters of East Asian keyboards. Plain negative numbers do not match.
 */
const FORMULA = /^(?:[\t\r]|[\s\u200b-\u200d\u2060]*[=+\-@＝＋－＠﹦﹢﹣﹫])/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

const EMPTY_LINES = /(\r\n|\r|\n)([ \t]*(\r\n|\r|\n))+/g;

/** Settings of the CSV. */
export interface ServerMetricsCsvOptions {
  /** Whether cells that a spreadsheet would run as formulas are left as they are. */
  readonly raw: boolean;
}

/** Approximate number of characters of the rows that are formatted as one text. */
const BATCH_CHARACTERS = 32 * 1024;

/** See the module's comment. */
export function* serverMetricsCsv(
  report: ServerMetricsReport,
  { raw }: ServerMetricsCsvOptions,
): Generator<string> {
  const endpoints = shortEndpoints(report.endpoints.map(({ url }) => url));
  const all = report.metrics.flatMap(({ series }) => series);
  const cells: Cells = {
    endpoint: ({ endpointUrl }) => endpoints.get(endpointUrl) ?? endpointUrl,
    text: raw ? escapedControls : (cell) => neutral(escapedControls(cell)),
  };
  const isInfo = ({ name, type }: SeriesReport) => type === "gauge" && name.endsWith("_info");
  const ofType = (type: string) => all.filter((one) => one.type === type && !isInfo(one));
  const sections = [
    section(ofType("gauge"), GAUGE_STATS, cells),
    section(ofType("counter"), COUNTER_STATS, cells),
    section(ofType("histogram"), HISTOGRAM_STATS, cells),
    section(ofType("unknown"), GAUGE_STATS, cells),
    infoSection(all.filter(isInfo), cells),
  ];
  let separator = "";
  for (const rows of sections) {
    let isEmpty = true;
    for (const batch of batches(rows)) {
      if (isEmpty) yield separator;
      isEmpty = false;
      separator = "\r\n";
      // Without this it quotes only what holds the whole line end of the file.
      yield stringify(batch, { record_delimiter: "windows", quoted_match: /[\r\n]/ });
    }
  }
}

/** Some rows at a time; none if there is nothing below the head. */
function* batches(rows: Iterable<string[]>): Generator<string[][]> {
  let batch: string[][] = [];
  let count = 0;
  let characters = 0;
  for (const row of rows) {
    batch.push(row);
    count++;
    for (const cell of row) characters += cell.length + 1;
    if (characters < BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (count > 1 && batch.length > 0) yield batch;
}

/** Writing of cells. */
interface Cells {
  /** Short form of a series' endpoint. */
  readonly endpoint: (series: SeriesReport) => string;
  readonly text: (cell: string) => string;
}

function* section(
  series: readonly SeriesReport[],
  stats: readonly string[],
  { endpoint, text }: Cells,
): Generator<string[]> {
  // Labels of info metrics are values, which would each make a column.
  const labelsOf = ({ name, labels }: SeriesReport) => name.endsWith("_info") ? [] : labels;
  const labels = labelColumns(series.map((one) => labelsOf(one).map(([name]) => name)));
  const withBuckets = stats === HISTOGRAM_STATS;
  const rows = series.map((one) => {
    const present = new Set(labelsOf(one).map(([name]) => name));
    return { one, pattern: labels.map((name) => present.has(name) ? "1" : "0").join("") };
  });
  // Series of one metric and endpoint are in the order of their labels already.
  rows.sort((a, b) =>
    compare(a.pattern, b.pattern) || compare(a.one.name, b.one.name) ||
    compare(endpoint(a.one), endpoint(b.one))
  );
  yield [
    ...["Endpoint", "Type", "Metric", "Unit", ...stats, ...labels.map(text), "Description"],
    ...(withBuckets ? ["buckets"] : []),
  ];
  for (const { one } of rows) {
    const values = new Map(labelsOf(one));
    yield [
      text(endpoint(one)),
      one.type,
      text(one.name),
      text(one.unit ?? ""),
      ...stats.map((stat) => numberCell(one.stats[stat])),
      ...labels.map((name) => text(values.get(name) ?? "")),
      text(one.description),
      ...(withBuckets ? [bucketsCell(one)] : []),
    ];
  }
}

function* infoSection(
  series: readonly SeriesReport[],
  { endpoint, text }: Cells,
): Generator<string[]> {
  const rows = [...series].sort((a, b) =>
    compare(a.name, b.name) || compare(endpoint(a), endpoint(b))
  );
  yield ["Endpoint", "Metric", "Key", "Value", "Description"];
  for (const one of rows) {
    const { name, labels, description } = one;
    for (const [key, value] of labels) {
      yield [endpoint(one), name, key, value, description].map(text);
    }
  }
}

function bucketsCell({ buckets }: SeriesReport): string {
  return (buckets ?? []).map(([bound, count]) => `${bound}=${count}`).join(";");
}

/** All digits that a number has: rounding would turn small ones into zero. */
function numberCell(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? "" : String(value);
}

/**
 * Text as a spreadsheet shows it instead of running it. Empty lines within a cell are taken out:
 * they would look like the end of a section.
 */
function neutral(cell: string): string {
  const text = cell.replace(EMPTY_LINES, "\n");
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/**
 * The order of label columns of a table. Labels that occur together form a family; families are
 * ordered by their first label. Within one, labels that a single row has come first, each part in
 * alphabetical order.
 * @param rows the label names of each row
 */
function labelColumns(rows: readonly (readonly string[])[]): string[] {
  const counts = new Map<string, number>();
  const family = new Map<string, Set<string>>();
  for (const names of rows) {
    const joined = new Set<string>();
    for (const name of names) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      for (const member of family.get(name) ?? [name]) joined.add(member);
    }
    for (const name of joined) family.set(name, joined);
  }
  const families = [...new Set(family.values())].map((members) => [...members].sort());
  families.sort(([a], [b]) => (a as string) < (b as string) ? -1 : 1);
  return families.flatMap((members) => [
    ...members.filter((name) => counts.get(name) === 1),
    ...members.filter((name) => counts.get(name) !== 1),
  ]);
}
