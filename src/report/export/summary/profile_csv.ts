import { smallFixed, telemetryRows } from "./gpu_telemetry_json.ts";
import { stringify } from "npm:csv-stringify@6.9.0/sync";
import {
  figuresOf,
  type MetricResult,
  type MetricResults,
} from "../../../measurement/metrics/metric_results.ts";
import type { ModelResults } from "../../../measurement/metrics/model_results.ts";
import type { ItlDialectResult } from "../../../measurement/metrics/itl_dialects.ts";
import type { SessionResults } from "../../../measurement/metrics/session_results.ts";
import type { ProfileReport, TimeSlice } from "../../model/profile_report.ts";
import { incompleteText } from "../../model/incomplete_tag.ts";
import { recomputedText } from "../../model/recomputed_tag.ts";
import type { Summary } from "../../../core/statistics/summarize.ts";
import { isExported } from "../metric_object.ts";

/** The statistics of a distribution, in the order of their columns. */
const STATS = [
  "avg",
  "min",
  "max",
  "sum",
  "p1",
  "p5",
  "p10",
  "p25",
  "p50",
  "p75",
  "p90",
  "p95",
  "p99",
  "std",
] as const satisfies readonly (keyof Summary)[];

/** Units that AIPerf does not write behind a metric's name. */
const UNWRITTEN_UNITS = new Set(["requests", "count"]);

/**
 * `profile_export_aiperf.csv`: distributions, a blank row, single values; after another blank row
 * the distributions of each turn, where sessions have several; last, what is missing, and what was
 * recomputed.
 */
export function profileCsv(report: ProfileReport): string {
  const results = byTag(report.results);
  const distributions = [["Metric", ...STATS]];
  const values = [["Metric", "Value"]];
  for (const result of results) {
    if ("value" in result) {
      values.push([title(result), fixed(result.value)]);
    } else {
      const figures = figuresOf(result);
      distributions.push([title(result), ...STATS.map((stat) => fixed(figures[stat]))]);
    }
  }
  for (const { header, unit, value } of report.gpu?.efficiency ?? []) {
    values.push([`${header} (${unit})`, smallFixed(value)]);
  }
  const sections = [distributions, values];
  if (report.sessions !== undefined) sections.push(turnRows(report.sessions));
  if (report.models !== undefined) sections.push(modelRows(report.models));
  if (report.itlDialects !== undefined) sections.push(dialectRows(report.itlDialects));
  if (report.gpu !== undefined) sections.push(telemetryRows(report.gpu.report));
  const incomplete = incompleteText(report.tags);
  if (incomplete !== undefined) sections.push([["Incomplete"], [incomplete]]);
  const recomputed = recomputedText(report.tags);
  if (recomputed !== undefined) sections.push([["Recomputed"], [recomputed]]);
  return sections.map(csv).join("\r\n");
}

function modelRows(models: readonly ModelResults[]): string[][] {
  const rows = models.flatMap(({ model, succeeded, failed, results }) =>
    byTag(results).map((result) => {
      const figures = figuresOf(result);
      return [
        ...[model, String(succeeded), String(failed), title(result)],
        ...STATS.map((stat) => figures[stat] === undefined ? "" : fixed(figures[stat])),
      ];
    })
  );
  return [["Model", "Succeeded", "Failed", "Metric", ...STATS], ...rows];
}

function dialectRows(dialects: readonly ItlDialectResult[]): string[][] {
  return [
    ["Tool", "Metric", "Definition", "count", "avg", "p50", "p90", "p95", "p99", "std"],
    ...dialects.map(({ tool, metric, rule, count, avg, p50, p90, p95, p99, std }) => [
      ...[tool, `${metric} (ms)`, rule, String(count)],
      ...[avg, p50, p90, p95, p99, std].map(fixed),
    ]),
  ];
}

function turnRows({ turns }: SessionResults): string[][] {
  const rows = turns.flatMap(({ turn, succeeded, failed, results }) =>
    byTag(results).filter((result) => "summary" in result).map((result) => {
      const figures = figuresOf(result);
      return [
        ...[turn, succeeded, failed].map(String),
        title(result),
        ...STATS.map((stat) => fixed(figures[stat])),
      ];
    })
  );
  return [["Turn", "Succeeded", "Failed", "Metric", ...STATS], ...rows];
}

/** `profile_export_aiperf_timeslices.csv`: a row for each statistic of each metric of each slice. */
export function slicesCsv(slices: readonly TimeSlice[]): string {
  const rows = [["Timeslice", "Start_NS", "End_NS", "Metric", "Unit", "Stat", "Value"]];
  slices.forEach((slice, index) => {
    for (const result of byTag(slice.results)) {
      const { header, unit } = result.metric;
      const place = [String(index), String(slice.startNs), String(slice.endNs), header, unit];
      const figures = figuresOf(result);
      for (const stat of STATS) {
        if (stat in figures) rows.push([...place, stat, fixed(figures[stat])]);
      }
    }
  });
  return csv(rows);
}

function byTag(results: MetricResults): MetricResult[] {
  return [...results.values()].filter(isExported).sort((a, b) =>
    a.metric.tag < b.metric.tag ? -1 : 1
  );
}

function title({ metric }: MetricResult): string {
  return UNWRITTEN_UNITS.has(metric.unit) ? metric.header : `${metric.header} (${metric.unit})`;
}

/** Two decimals; nothing of what there is not. */
function fixed(value: number | bigint | undefined): string {
  if (value === undefined) return "";
  return typeof value === "bigint" ? `${value}.00` : value.toFixed(2);
}

function csv(rows: readonly (readonly string[])[]): string {
  return stringify(rows as string[][], { record_delimiter: "windows" });
}
