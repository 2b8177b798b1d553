import { itlDialectTable } from "./itl_dialect_table.ts";
import { modelTable } from "./model_table.ts";
import { gpuLines } from "./gpu_tables.ts";
import {
  distributionOf,
  type MetricResults,
  valueOf,
} from "../../measurement/metrics/compute_results.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { agreementLines } from "./agreement_lines.ts";
import { costLines } from "./cost_lines.ts";
import { clientTable, traceTable } from "./client_table.ts";
import type { ConsoleOptions } from "./console_options.ts";
import { errorVerdict } from "./error_verdict.ts";
import { gateLines } from "./gate_lines.ts";
import { hintLines } from "./hint_lines.ts";
import { significantText, wholeNumber } from "./number_text.ts";
import { outcomeText } from "./outcome_text.ts";
import { NOTE_LENGTH, printableText } from "./printable_text.ts";
import { runTitle } from "./run_title.ts";
import { serverBlocks } from "./server_blocks.ts";
import { styledText } from "./styled_text.ts";
import { meanTokenLines } from "./token_lines.ts";
import { turnTable } from "./turn_table.ts";
import { verdictLines } from "./verdict_lines.ts";
import { wrapText } from "./wrap_text.ts";

/** Lines are not made longer than this: they would be hard to read. */
const MAX_WIDTH = 100;
/** Width of the tables: the same on every wider screen. */
const TABLE_WIDTH = 80;
/** Kinds of failures that are listed. */
const MAX_ERRORS = 6;
/** Longest message of a failure. */
const MAX_MESSAGE = 140;

/**
 * The report of a run on one screen: the answer first, the evidence below, then what a reader must
 * know before the figures are believed; the verdict stands last.
 */
export function compactReport(report: ProfileReport, options: ConsoleOptions): string {
  const width = Math.min(options.width, MAX_WIDTH);
  const tableWidth = Math.min(width, TABLE_WIDTH);
  const { results } = report;
  const { serverMetrics } = options;
  const bold = styler(options.color, "bold");
  const warning = styler(options.color, "yellow");
  const wrapped = (text: string): string[] => wrapText(text, width, 2);
  const [subject = "", ...load] = runTitle(report, tableWidth);
  const client = [
    bold(subject),
    ...load,
    ...clientTable(results, tableWidth, (tag) => report.measurementError?.metrics.get(tag)),
    ...rateLines(results, tableWidth),
    ...networkLines(results),
    ...costLines(results, tableWidth),
    ...meanTokenLines(report).flatMap(wrapped),
  ];
  const server = serverMetrics === undefined ? [] : serverBlocks(serverMetrics, tableWidth);
  const agreement = agreementLines(report.reconciliation, report.requests, tableWidth);
  const { above, last } = verdictLines(report);
  const measured = errorVerdict(report);
  const caveats = [
    ...errorLines(report, width),
    ...hintLines(report).flatMap(wrapped),
    ...[...report.notes, ...serverMetrics?.notes ?? []]
      .flatMap((note) => wrapped(`note: ${printableText(note, NOTE_LENGTH)}`).map(warning)),
    ...gateLines(report.gates, width)
      .map(report.gates.every(({ met }) => met) ? (text) => text : warning),
    ...above.flatMap(wrapped).map(warning),
  ];
  const end = [
    ...wrapped(filesText(report, options.directory)),
    ...wrapped(requestsText(report)),
    ...wrapped(last).map(report.clientHealth.ok ? (text) => text : warning),
    ...(measured === undefined
      ? []
      : wrapped(measured.text).map(measured.isValid ? (text) => text : warning)),
  ];
  const blocks = [
    client,
    turnTable(report, tableWidth),
    modelTable(report, tableWidth),
    itlDialectLines(report, tableWidth),
    options.traceTiming ? traceTable(results, tableWidth) : [],
    ...server.map(([title = "", ...rows]) => [bold(title), ...rows]),
  ];
  // What compares both sides belongs to the server's last block.
  blocks.at(-1)?.push(...agreement);
  const [gpuTitle, ...gpuRows] = gpuLines(report, tableWidth);
  if (gpuTitle !== undefined) blocks.push([bold(gpuTitle), ...gpuRows]);
  return `${
    [...blocks, [...caveats, ...end]].filter((lines) => lines.length > 0)
      .map((lines) => lines.join("\n")).join("\n\n")
  }\n`;
}

function styler(color: boolean, style: "bold" | "yellow"): (text: string) => string {
  return (text) => color ? styledText(style, text) : text;
}

/** Rates of the whole run, as many on a line as fit. */
function rateLines(results: MetricResults, width: number): string[] {
  const rate = (tag: Parameters<typeof valueOf>[1]): string | undefined => {
    const value = valueOf(results, tag);
    return value === undefined ? undefined : rateText(value);
  };
  const requests = rate("request_throughput");
  if (requests === undefined) return [];
  const out = rate("output_token_throughput");
  const total = rate("total_token_throughput");
  const goodput = rate("goodput");
  const share = valueOf(results, "good_request_fraction");
  const tokensIn = out === undefined ? rate("input_token_throughput") : undefined;
  const parts = [
    `${"requests/s".padEnd(12)} ${requests}`,
    ...(out === undefined ? [] : [`tokens/s out ${out}`]),
    ...(out === undefined || total === undefined ? [] : [`total ${total}`]),
    ...(tokensIn === undefined ? [] : [`tokens/s in ${tokensIn}`]),
    ...(goodput === undefined ? [] : [
      `good ${goodput}${share === undefined ? "" : ` (${Number((share * 100).toPrecision(3))} %)`}`,
    ]),
  ];
  const lines: string[] = [];
  for (const part of parts) {
    const line = lines.at(-1);
    const longer = `${line}    ${part}`;
    if (line === undefined || longer.length > width) lines.push(part);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

function itlDialectLines(report: ProfileReport, width: number): string[] {
  const table = itlDialectTable(report, width);
  return table === undefined
    ? []
    : ["time between tokens by other tools' definitions", table.trimEnd()];
}

/** The network's share, and the medians without it. */
function networkLines(results: MetricResults): string[] {
  const rtt = valueOf(results, "network_rtt");
  if (rtt === undefined) return [];
  const medians = ([
    ["TTFT", "network_adjusted_time_to_first_token"],
    ["latency", "network_adjusted_request_latency"],
  ] as const).flatMap(([name, tag]) => {
    const summary = distributionOf(results, tag);
    return summary === undefined ? [] : [`${name} p50 ${significantText(summary.p50)}`];
  });
  return [
    `${"network".padEnd(12)} RTT ${significantText(rtt)} ms; without it ${medians.join(", ")} ms`,
  ];
}

function rateText(value: number): string {
  return value >= 1000 ? wholeNumber(value) : significantText(value);
}

function errorLines({ errors }: ProfileReport, width: number): string[] {
  // One more takes no more room than to say that there is one.
  const shown = errors.slice(0, errors.length === MAX_ERRORS + 1 ? errors.length : MAX_ERRORS);
  if (shown.length === 0) return [];
  const counts = shown.map(({ count }) => wholeNumber(count));
  const widest = Math.max(...counts.map((text) => text.length));
  const others = errors.slice(shown.length).reduce((sum, { count }) => sum + count, 0);
  return [
    "failed:",
    ...shown.flatMap(({ status, kind, type, message }, index) => {
      const cause = status === null ? message : `${status} ${type}: ${message}`;
      const words = printableText(cause, MAX_MESSAGE);
      const text = `  ${(counts[index] as string).padStart(widest)}  ${kind}  ${words}`;
      return wrapText(text, width, widest + 4);
    }),
    ...(others === 0 ? [] : [`  ${wholeNumber(others)} in other ways`]),
  ];
}

/** The page to open, if there is one, and how many files there are beside it. */
function filesText({ files }: ProfileReport, directory: string): string {
  const folder = `${printableText(directory, Infinity)}/`;
  const page = files.find((name) => name.endsWith(".html"));
  const others = files.length - (page === undefined ? 0 : 1);
  const count = `${others} ${others === 1 ? "file" : "files"}`;
  return page === undefined
    ? `artifacts: ${folder} (${count})`
    : `artifacts: ${folder}${page} and ${count}`;
}

function requestsText(report: ProfileReport): string {
  const { sent, failed } = report.requests;
  return [
    `${wholeNumber(sent)} ${sent === 1 ? "request" : "requests"}`,
    `${failed === 0 ? "none" : failed === sent && sent > 1 ? "all" : wholeNumber(failed)} failed`,
    ...outcomeText(report),
  ].join(", ");
}
