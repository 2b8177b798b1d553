import {
  type BriefRow,
  type ServerKind,
  serverKinds,
} from "../../telemetry/engines/server_kinds.ts";
import type {
  MetricReport,
  SeriesReport,
  ServerMetricsReport,
} from "../model/server_metrics_report.ts";
import { shareOf } from "../model/share_of.ts";
import { type CompactRow, compactTable } from "./compact_table.ts";
import { countText, significantText } from "./number_text.ts";
import { wrapText } from "./wrap_text.ts";

const COLUMNS = ["avg", "max", "total", "/s", "p50", "p99"] as const;
const DISPENSABLE = ["p50", "/s", "total", "max"];
type Column = (typeof COLUMNS)[number];
type Cells = Partial<Record<Column, string>>;

const MS_PER: ReadonlyMap<string | null, number> = new Map([
  ["seconds", 1e3],
  ["milliseconds", 1],
  ["microseconds", 1e-3],
]);
/** Digits of what is only estimated. */
const ESTIMATED_DIGITS = 2;

/** What the servers say of themselves in a few rows for each kind of server. */
export function serverBlocks(report: ServerMetricsReport, width: number): string[][] {
  if (report.endpoints.length === 0) return [];
  const kinds = serverKinds(report.metrics.map(({ name }) => name));
  const blocks = kinds.flatMap((kind) => {
    const block = blockOf(kind, report, width);
    return block.length === 0 ? [] : [block];
  });
  if (blocks.length > 0) return blocks;
  const series = report.metrics.reduce((sum, { series }) => sum + series.length, 0);
  const [kind] = kinds;
  return [wrapText(
    `server metrics: ${count(report.metrics.length, "metric")}, ${series} series of ` +
      `${count(report.endpoints.length, "endpoint")}` +
      (kind === undefined ? ", of no kind of server that is known here" : `, of ${kind.name}`),
    width,
    2,
  )];
}

function blockOf(kind: ServerKind, report: ServerMetricsReport, width: number): string[] {
  const metrics = kind.brief.flatMap((row) => {
    const metric = row.metrics.map((name) => report.metrics.find((metric) => metric.name === name))
      .find((metric) => metric !== undefined);
    return metric === undefined ? [] : [{ row, series: activeSeries(metric), metric }];
  });
  const rows = [
    ...metrics.flatMap(({ row, metric, series }) => rowOf(row, metric, series)),
    ...kind.keyShares.flatMap((share): CompactRow[] => {
      const value = shareOf(report, share);
      return value === undefined ? [] : [rowWith(share.label, "%", { avg: percentText(value) })];
    }),
  ];
  if (rows.length === 0) return [];
  const endpoints = new Set(
    metrics.flatMap(({ metric }) => metric.series.map(({ endpointUrl }) => endpointUrl)),
  ).size;
  const title = endpoints > 1 ? `${kind.name}, ${endpoints} endpoints` : kind.name;
  const table = compactTable({ title, columns: COLUMNS, rows, dispensable: DISPENSABLE }, width);
  const most = Math.max(...metrics.map(({ series }) => series.length));
  if (most < 2) return table;
  return [
    ...table,
    ...wrapText(
      `  avg, total and /s are sums of up to ${most} series (of shares: mean, and max of the largest)`,
      width,
      2,
    ),
  ];
}

/** Series that anything was seen of; a level that stayed at zero is one, too. */
function activeSeries({ series }: MetricReport): readonly SeriesReport[] {
  const active = series.filter(({ type, stats }) =>
    type === "counter"
      ? stats["total"] !== 0
      : type === "histogram"
      ? stats["count"] !== 0
      : stats["min"] !== 0 || stats["max"] !== 0
  );
  return active.length === 0 ? series.slice(0, 1) : active;
}

function rowOf(
  { label, of, ifAny }: BriefRow,
  { unit }: MetricReport,
  series: readonly SeriesReport[],
): CompactRow[] {
  const sum = (stat: string): number =>
    series.reduce((sum, { stats }) => sum + num(stats[stat]), 0);
  const max = Math.max(...series.map(({ stats }) => num(stats["max"])));
  const [first] = series;
  if (first === undefined) return [];
  switch (first.type) {
    case "histogram":
      return sum("count") > 0 ? [timeRow(label, MS_PER.get(unit), series, sum)] : [];
    case "counter": {
      const total = sum("total");
      if (Number.isNaN(total) || (ifAny && total === 0)) return [];
      const rate = sum("rate");
      return [rowWith(label, "", {
        total: countText(total),
        "/s": Number.isNaN(rate) ? "" : significantText(rate),
      })];
    }
    default: {
      const avg = sum("avg");
      if (Number.isNaN(avg) || (ifAny && max === 0)) return [];
      if (of !== "share") {
        // When each series was highest is not known, so neither is when all together were.
        return [rowWith(label, "", {
          avg: significantOrWhole(avg),
          max: series.length === 1 ? countText(max) : "",
        })];
      }
      // Some servers report percents.
      const scale = max > 1 ? 0.01 : 1;
      return [rowWith(label, "%", {
        avg: percentText(avg / series.length * scale),
        max: percentText(max * scale),
      })];
    }
  }
}

function timeRow(
  label: string,
  toMs: number | undefined,
  series: readonly SeriesReport[],
  sum: (stat: string) => number,
): CompactRow {
  const rate = sum("count_rate");
  const [only, ...others] = series;
  const estimate = (name: string): string => {
    const value = others.length > 0 ? undefined : only?.stats[name];
    if (value === undefined) return "";
    const ms = value * (toMs ?? 1);
    return `~${
      ms >= 100 ? countText(Math.round(ms)) : significantText(ms, {
        digits: ESTIMATED_DIGITS,
      })
    }`;
  };
  return rowWith(label, toMs === undefined ? "" : "ms", {
    avg: significantText(sum("sum") / sum("count") * (toMs ?? 1)),
    total: countText(sum("count")),
    "/s": Number.isNaN(rate) ? "" : significantText(rate),
    p50: estimate("p50_estimate"),
    p99: estimate("p99_estimate"),
  });
}

function rowWith(label: string, unit: string, cells: Cells): CompactRow {
  return { label, unit, cells: COLUMNS.map((column) => cells[column] ?? "") };
}

/** A mean that happens to be whole is shown as such. */
function significantOrWhole(value: number): string {
  return Number.isInteger(value) ? countText(value) : significantText(value);
}

function percentText(share: number): string {
  return significantText(share * 100, { maxDecimals: 1 });
}

function num(value: number | undefined): number {
  return value ?? NaN;
}

function count(value: number, noun: string): string {
  return `${value} ${noun}${value === 1 ? "" : "s"}`;
}
