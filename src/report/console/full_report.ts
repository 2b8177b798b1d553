import { itlDialectTable } from "./itl_dialect_table.ts";
import { modelTable } from "./model_table.ts";
import { gpuTables } from "./gpu_tables.ts";
import { styledText } from "./styled_text.ts";
import {
  figuresOf,
  type MetricResult,
  type MetricResults,
} from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import type { Summary } from "../../core/statistics/summarize.ts";
import { answersLines } from "./answers_lines.ts";
import { answerLines } from "./answer_lines.ts";
import type { ConsoleOptions } from "./console_options.ts";
import { costText } from "./cost_lines.ts";
import { gateLines } from "./gate_lines.ts";
import { fileLines } from "./file_lines.ts";
import { fullNumber, shortNumber, wholeNumber } from "./number_text.ts";
import { hintLines } from "./hint_lines.ts";
import { outcomeText } from "./outcome_text.ts";
import { NOTE_LENGTH, printableText } from "./printable_text.ts";
import { repeatsFirstToken } from "./repeats_first_token.ts";
import { keyMetricsTables, reconciliationTable } from "./server_metrics_tables.ts";
import { narrowestWidth, renderTable, type TextTable } from "./text_table.ts";
import { aboutLines } from "./run_title.ts";
import { tokenLines } from "./token_lines.ts";
import { truthLines } from "./truth_lines.ts";
import { sessionBlock } from "./session_block.ts";
import { turnTable } from "./turn_table.ts";
import { healthText, verdictLines } from "./verdict_lines.ts";
import { wrapText } from "./wrap_text.ts";

/** Statistics of the tables, and the order in which they are given up on a narrow screen. */
const COLUMNS = ["avg", "min", "max", "p99", "p95", "p90", "p50", "std"] as const;
const DISPENSABLE: readonly (keyof Summary)[] = ["std", "min", "p90", "max", "p95"];
/**
 * Metrics that AIPerf's console leaves out: the metric that each of them follows, and the name under
 * which it is shown.
 */
const ALSO_SHOWN = [
  { tag: "inter_chunk_latency", after: "inter_token_latency", header: "Chunk Gap" },
  { tag: "total_token_throughput", after: "output_token_throughput", header: undefined },
] as const satisfies readonly { tag: MetricTag; after: MetricTag; header: string | undefined }[];
/** Narrowest that a metric's name may be wrapped to. */
const MIN_NAME_WIDTH = 24;

/** The tables that AIPerf shows at the end of a run, with all their columns, and the lines below. */
export function fullReport(report: ProfileReport, options: ConsoleOptions): string {
  const title = (text: string): string => options.color ? styledText("bold", text) : text;
  const warning = (text: string): string => options.color ? styledText("yellow", text) : text;
  const parts: string[] = [];
  const shown = shownResults(report.results);
  if (shown.length > 0) {
    parts.push(title("inferometer | LLM Metrics"), metricTable(shown, options.width));
  }
  const turns = turnTable(report, options.width);
  if (turns.length > 0) parts.push(title("inferometer | Turns of Sessions"), ...turns);
  const sessions = sessionBlock(report, options.width);
  if (sessions.length > 0) parts.push(title("inferometer | Sessions"), ...sessions);
  const models = modelTable(report, options.width);
  if (models.length > 0) parts.push(title("inferometer | Models"), ...models);
  const dialects = itlDialectTable(report, options.width);
  if (dialects !== undefined) parts.push(title("inferometer | Time between Tokens"), dialects);
  const timings = options.traceTiming ? traceResults(report.results) : [];
  if (timings.length > 0) {
    parts.push(title("inferometer | HTTP Trace Timing"), metricTable(timings, options.width));
  }
  if (report.errors.length > 0) {
    parts.push(title("inferometer | Error Summary"), errorTable(report, options.width));
  }
  const { serverMetrics } = options;
  if (serverMetrics !== undefined) {
    for (const [kind, table] of keyMetricsTables(serverMetrics, options.width)) {
      parts.push(title(`inferometer | Server Metrics (${kind}; ~ estimated)`), table);
    }
  }
  for (const [name, table] of gpuTables(report, options.width)) {
    parts.push(title(`inferometer | ${name}`), table);
  }
  if (report.reconciliation.length > 0) {
    const table = reconciliationTable(report.reconciliation, options.width);
    parts.push(title("inferometer | Client and Server"), table);
  }
  parts.push(...truthLines(report, options.width), ...answersLines(report, options.width));
  const wrapped = (text: string): string => wrapText(text, options.width, 2).join("\n");
  parts.push(...tokenLines(report).map(wrapped), ...hintLines(report).map(wrapped));
  for (const note of [...report.notes, ...serverMetrics?.notes ?? []]) {
    parts.push(warning(wrapped(`note: ${printableText(note, NOTE_LENGTH)}`)));
  }
  if (report.gates.length > 0) {
    const lines = gateLines(report.gates, options.width).join("\n");
    parts.push(report.gates.every(({ met }) => met) ? lines : warning(lines));
  }
  parts.push(...verdictLines(report).map((text) => warning(wrapped(text))));
  parts.push(...aboutLines(report, options.width));
  parts.push(
    `artifacts: ${printableText(options.directory, Infinity)}/`,
    ...fileLines(report.files, options.width),
  );
  // What became of the run, and what it is worth, stand last: that is what a screen still shows.
  const health = wrapped(healthLine(report));
  parts.push(wrapped(requestLine(report)), report.clientHealth.ok ? health : warning(health));
  const answer = answerLines(report, options.width);
  parts.push(...answer.diagnosis, ...answer.publishable);
  return `${parts.join("\n")}\n`;
}

function shownResults(results: MetricResults): MetricResult[] {
  const shown = byOrder(
    [...results.values()].filter(({ metric }) =>
      metric.consoleOrder !== undefined && !metric.flags.includes("NO_CONSOLE") &&
      !metric.flags.includes("ERROR_ONLY") &&
      !(metric.tag === "time_to_first_output_token" && repeatsFirstToken(results))
    ),
  );
  return shown.flatMap((result) => [
    result,
    ...ALSO_SHOWN.filter(({ after }) => after === result.metric.tag).flatMap(({ tag, header }) => {
      const also = results.get(tag);
      if (also === undefined) return [];
      return [{ ...also, metric: { ...also.metric, header: header ?? also.metric.header } }];
    }),
  ]);
}

function traceResults(results: MetricResults): MetricResult[] {
  return byOrder(
    [...results.values()].filter(({ metric }) =>
      metric.consoleOrder !== undefined && metric.flags.includes("HTTP_TRACE_ONLY")
    ),
  );
}

function byOrder(results: MetricResult[]): MetricResult[] {
  return results.sort((a, b) => (a.metric.consoleOrder ?? 0) - (b.metric.consoleOrder ?? 0));
}

/** With all columns and two decimals if that fits; else shorter numbers; else fewer columns. */
function metricTable(results: readonly MetricResult[], width: number): string {
  let columns: readonly (keyof Summary)[] = COLUMNS;
  let table = tableOf(results, columns, fullNumber);
  if (narrowestWidth(table) > width) table = tableOf(results, columns, shortNumber);
  for (const column of DISPENSABLE) {
    if (narrowestWidth(table) <= width) break;
    columns = columns.filter((kept) => kept !== column);
    table = tableOf(results, columns, shortNumber);
  }
  return renderTable(table, width);
}

function tableOf(
  results: readonly MetricResult[],
  columns: readonly (keyof Summary)[],
  format: (value: number) => string,
): TextTable {
  return {
    head: ["Metric", ...columns],
    rows: results.map((result) => {
      const { header, unit } = result.metric;
      const isCount = unit === "requests" || unit === "tokens";
      const isCost = unit.startsWith("currency");
      const text = (value: number): string =>
        isCost
          ? costText(value)
          : isCount && Number.isInteger(value)
          ? wholeNumber(value)
          : format(value);
      return [
        `${header} (${unit})`,
        ...columns.map((column) => {
          const figure = figuresOf(result)[column];
          return figure === undefined ? "-" : text(Number(figure));
        }),
      ];
    }),
    flexible: 0,
    minFlexible: MIN_NAME_WIDTH,
    alignments: ["left", ...columns.map(() => "right" as const)],
  };
}

function errorTable(report: ProfileReport, width: number): string {
  return renderTable({
    head: ["Code", "Kind", "Message", "Count"],
    rows: report.errors.map((error) => [
      error.status === null ? "-" : String(error.status),
      error.kind,
      printableText(error.status === null ? error.message : `${error.type}: ${error.message}`),
      String(error.count),
    ]),
    flexible: 2,
    minFlexible: 20,
    alignments: ["right", "left", "left", "right"],
  }, width);
}

function requestLine(report: ProfileReport): string {
  const { sent, succeeded, failed } = report.requests;
  return `requests: ${
    [`${sent} sent`, `${succeeded} succeeded`, `${failed} failed`, ...outcomeText(report)].join(
      ", ",
    )
  }`;
}

function healthLine(report: ProfileReport): string {
  const health = report.clientHealth;
  const lag = Math.max(0, ...health.loopLagMs.map(({ p99 }) => p99).filter((p99) => p99 >= 0));
  const slip = health.sendSlipMs;
  const figures = [
    health.loopLagMs.some(({ count }) => count > 0)
      ? `loop lag p99 ${lag.toFixed(2)} ms`
      : "loop lag not measured",
    ...(slip.count > 0
      ? [`send slip p50 ${slip.p50.toFixed(2)} p99 ${slip.p99.toFixed(2)} ms`]
      : []),
    ...(health.queueWaitMs === undefined
      ? []
      : [`queue wait p99 ${health.queueWaitMs.p99.toFixed(2)} ms`]),
    `coalesced chunks ${(health.coalescedShare * 100).toFixed(1)} %`,
    Number.isNaN(health.cpuCores)
      ? "CPU not measured"
      : `CPU ${health.cpuCores.toFixed(2)} of ${health.cores} cores`,
  ].join(", ");
  return healthText(report, figures);
}
