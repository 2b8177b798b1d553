/** Tables of a page: metrics, errors, server metrics, configuration. */

import { countText, figureText } from "../../core/chart/figure_text.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import { distributionOf, figuresOf, valueOf } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import { cachedShare } from "../../measurement/metrics/session_results.ts";
import { keyMetrics } from "../model/key_metrics.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import type { MetricReport, SeriesReport } from "../model/series_report.ts";
import { htmlTable } from "./html_table.ts";
import { largestError } from "../model/largest_error.ts";
import { type RunView, zeroNs } from "./run_view.ts";

const STATISTICS = ["avg", "min", "p50", "p90", "p95", "p99", "max", "std"] as const;
/** Times that are given for each turn. */
const TURN_TIMES = [
  ["time_to_first_token", "TTFT"],
  ["inter_token_latency", "ITL"],
  ["request_latency", "latency"],
] as const;
/** Statistics of server metrics, under the names that files give them. */
const SERVER_STATISTICS = [
  ...["avg", "min", "max", "total", "rate", "count"].map((name) => [name, name] as const),
  ...["p50", "p90", "p99"].map((name) => [`~${name}`, `${name}_estimate`] as const),
];
/** Most rows of the table of all server metrics. */
const MAX_SERIES = 400;

/** Metrics of files whose mean misleads, and which another one stands for. */
const REPLACED: ReadonlySet<MetricTag> = new Set(["output_token_throughput_per_user"]);

/** Every metric of the client; the most important ones first. */
export function metricsTable({ report }: RunView): string {
  const { measurementError } = report;
  const results = [...report.results.values()].sort((a, b) =>
    (a.metric.consoleOrder ?? Infinity) - (b.metric.consoleOrder ?? Infinity)
  );
  const rows = results.filter(({ metric }) => metric.unit !== "ns" && !REPLACED.has(metric.tag))
    .map((result) => {
      const figures = figuresOf(result);
      const error = STATISTICS.reduce<number | undefined>((most, statistic) => {
        const value = figures[statistic];
        if (value === undefined) return most;
        const error = largestError(measurementError, result.metric.tag, statistic, Number(value));
        return error === undefined ? most : Math.max(most ?? 0, error);
      }, undefined);
      return [
        result.metric.header,
        result.metric.unit,
        ...STATISTICS.map((name) =>
          figures[name] === undefined ? "" : figureText(Number(figures[name]))
        ),
        ...(measurementError === undefined
          ? []
          : [error === undefined ? "" : error === Infinity ? "unknown" : `< ${figureText(error)}`]),
      ];
    });
  return htmlTable({
    head: ["metric", "unit", ...STATISTICS, ...(measurementError === undefined ? [] : ["error"])],
    rows,
    textColumns: [1],
  });
}

/** Returns the changes from turn to turn of sessions; empty if they have one turn each. */
export function turnsTable({ sessions }: ProfileReport): string {
  if (sessions === undefined) return "";
  const figure = (value: number | undefined): string =>
    value === undefined || Number.isNaN(value) ? "" : figureText(value);
  const rows = sessions.turns.map((turn) => {
    const summary = (tag: MetricTag) => distributionOf(turn.results, tag);
    return [
      String(turn.turn),
      countText(turn.succeeded),
      countText(turn.failed),
      ...TURN_TIMES.flatMap(([tag]) => [figure(summary(tag)?.p50), figure(summary(tag)?.p99)]),
      figure(summary("input_sequence_length")?.avg),
      figure(summary("output_sequence_length")?.avg),
      figure(cachedShare(turn)),
    ];
  });
  const { started, completed, failed, unsentTurns } = sessions;
  return `<p>${countText(completed)} of ${countText(started)} sessions completed, ${
    countText(failed)
  } ended with a request that failed; ${countText(unsentTurns)} turns were not sent.</p>\n` +
    htmlTable({
      head: [
        ...["turn", "succeeded", "failed"],
        ...TURN_TIMES.flatMap(([, name]) => [`${name} p50, ms`, `${name} p99, ms`]),
        ...["mean tokens in", "mean tokens out", "cached, %"],
      ],
      rows,
    });
}

/** Returns the outcome of the requests to each of several models; empty if there is one. */
export function modelsTable({ models = [] }: ProfileReport): string {
  if (models.length === 0) return "";
  const figure = (value: number | undefined): string =>
    value === undefined || Number.isNaN(value) ? "" : figureText(value);
  return htmlTable({
    head: [
      ...["model", "succeeded", "failed"],
      ...TURN_TIMES.flatMap(([, name]) => [`${name} p50, ms`, `${name} p99, ms`]),
      ...["requests/s", "tokens/s", "mean tokens in", "mean tokens out"],
    ],
    rows: models.map(({ model, succeeded, failed, results }) => [
      ...[model, countText(succeeded), countText(failed)],
      ...TURN_TIMES.flatMap(([tag]) => {
        const summary = distributionOf(results, tag);
        return [figure(summary?.p50), figure(summary?.p99)];
      }),
      figure(valueOf(results, "request_throughput")),
      figure(valueOf(results, "output_token_throughput")),
      figure(distributionOf(results, "input_sequence_length")?.avg),
      figure(distributionOf(results, "output_sequence_length")?.avg),
    ]),
  });
}

/** Failures by kind and message, each with the time of the first one. */
export function errorsTable(view: RunView): string {
  const { errors } = view;
  if (errors.length === 0) return "";
  const zero = zeroNs(view);
  return htmlTable({
    head: ["kind", "status", "requests", "first at", "message"],
    rows: errors.map(({ kind, status, type, message, count, firstNs = NaN }) => [
      kind,
      status === null ? "" : `${status} ${type}`,
      countText(count),
      Number.isNaN(firstNs) ? "" : `${figureText((firstNs - zero) / 1e9)} s`,
      message,
    ]),
    textColumns: [1, 4],
  });
}

/** Returns the outcome of the run's objectives; empty without any. */
export function gatesTable({ report: { gates } }: RunView): string {
  if (gates.length === 0) return "";
  return htmlTable({
    caption: "Objectives of the run (--slo)",
    head: ["objective", "condition", "found", "outcome", "remark"],
    rows: gates.map(({ name, condition, found, met, remark }) => [
      name,
      condition,
      found,
      met ? "met" : "MISSED",
      remark ?? "",
    ]),
    textColumns: [1, 3, 4],
  });
}

/** Returns the ITL by several definitions; empty if they were not requested. */
export function itlDialectsTable({ itlDialects = [] }: ProfileReport): string {
  if (itlDialects.length === 0) return "";
  const columns = ["avg", "p50", "p90", "p95", "p99", "std"] as const;
  return `<h3>Time between tokens, ms</h3>${
    htmlTable({
      head: ["definition", "what it is", ...columns],
      rows: itlDialects.map((dialect) => [
        `${dialect.tool} ${dialect.metric}`,
        dialect.rule,
        ...columns.map((column) => figureText(dialect[column])),
      ]),
      textColumns: [1],
    })
  }`;
}

/** The servers' metrics: the telling ones of known kinds, and all of them to be unfolded. */
export function serverTables({ serverMetrics }: RunView): string {
  if (serverMetrics === undefined) return "";
  const { metrics, endpoints, roles } = serverMetrics;
  if (metrics.length === 0) return "";
  const several = endpoints.length > 1;
  const engines = roles.engines.map((seen) => {
    const telling = keyMetrics(seen);
    return telling.length === 0
      ? ""
      : `<h3>${escapedMarkup(seen.engine.name)}</h3>${seriesTable(telling, several)}`;
  });
  return [
    ...engines,
    `<details><summary>All ${countText(metrics.length)} metrics of servers</summary>`,
    seriesTable(metrics, several),
    "</details>\n",
  ].join("");
}

function seriesTable(metrics: readonly MetricReport[], several: boolean): string {
  const all = metrics.flatMap(({ series }) => series);
  const shown = all.slice(0, MAX_SERIES);
  const columns = SERVER_STATISTICS.filter(([, stat]) => shown.some(({ stats }) => stat in stats));
  const table = htmlTable({
    head: ["metric", ...columns.map(([name]) => name)],
    rows: shown.map((series) => [
      nameOf(series, several),
      ...columns.map(([, stat]) =>
        series.stats[stat] === undefined ? "" : figureText(series.stats[stat])
      ),
    ]),
  });
  const more = all.length - shown.length;
  return more > 0 ? `${table}<p class="soft">and ${countText(more)} more series</p>` : table;
}

function nameOf({ name, labels, unit, endpointUrl }: SeriesReport, several: boolean): string {
  const inner = labels.map(([label, value]) => `${label}="${value}"`).join(", ");
  return `${name}${inner === "" ? "" : ` {${inner}}`}${unit === null ? "" : ` (${unit})`}` +
    (several ? ` at ${endpointUrl}` : "");
}

/** Names and values, as a list. */
export function factList(facts: readonly (readonly [name: string, value: string])[]): string {
  return `<dl>${
    facts.map(([name, value]) => `<dt>${escapedMarkup(name)}</dt><dd>${escapedMarkup(value)}</dd>`)
      .join("")
  }</dl>\n`;
}

/** The plan's settings, one line each: `endpoint.streaming`. */
export function settingFacts({ inputConfig, ownConfig }: ProfileReport): [string, string][] {
  return [...flattened("", inputConfig), ...flattened("", ownConfig)];
}

function* flattened(name: string, value: unknown): Generator<[string, string]> {
  if (typeof value !== "object" || value === null) {
    yield [name, String(value)];
    return;
  }
  for (const [key, entry] of Object.entries(value)) {
    yield* flattened(name === "" ? key : `${name}.${key}`, entry);
  }
}
