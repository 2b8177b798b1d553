import { itlDialectTable } from "./itl_dialect_table.ts";
import { modelTable } from "./model_table.ts";
import { gpuLines } from "./gpu_tables.ts";
import {
  distributionOf,
  type MetricResults,
  valueOf,
} from "../../measurement/metrics/metric_results.ts";
import { gatesPass } from "../../config/gate/judge_slos.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { evidenceOf } from "../model/evidence_of.ts";
import { timeParts } from "../model/time_parts.ts";
import { shownServers } from "../model/shown_servers.ts";
import { type ShownWindow, shownWindow } from "../model/shown_window.ts";
import { steadyResults } from "../model/steady_state.ts";
import { agreementLines } from "./agreement_lines.ts";
import { costLines } from "./cost_lines.ts";
import { answersLines } from "./answers_lines.ts";
import { answerLines } from "./answer_lines.ts";
import { traceTable } from "./trace_table.ts";
import type { ConsoleOptions } from "./console_options.ts";
import { gateLines } from "./gate_lines.ts";
import { significantText, wholeNumber } from "./number_text.ts";
import { remarks } from "./remarks.ts";
import { requestsText } from "./requests_text.ts";
import { printableText } from "./printable_text.ts";
import { headLines } from "./head_lines.ts";
import { metricTable } from "./metric_table.ts";
import { LABEL_WIDTH, labelled } from "./labelled_lines.ts";
import { serverLines } from "./server_lines.ts";
import { styledText } from "./styled_text.ts";
import { timeLines } from "./time_lines.ts";
import { meanTokenLines } from "./token_lines.ts";
import { truthLines } from "./truth_lines.ts";
import { sessionBlock } from "./session_block.ts";
import { turnTable } from "./turn_table.ts";
import { wrapText } from "./wrap_text.ts";

/** Lines are not made longer than this: they would be hard to read. */
const MAX_WIDTH = 120;
/** Width of the tables on narrower screens. */
const TABLE_WIDTH = 80;
/** Kinds of failures that are listed. */
const MAX_ERRORS = 6;
/** Longest message of a failure. */
const MAX_MESSAGE = 140;

/**
 * The report of a run on one screen: what was measured, the metrics, the servers, errors and objectives;
 * the diagnosis and whether the results can be published are last, where a screen still shows them.
 */
export function compactReport(report: ProfileReport, options: ConsoleOptions): string {
  const width = Math.min(options.width, MAX_WIDTH);
  const tableWidth = Math.min(width, options.width >= MAX_WIDTH ? MAX_WIDTH : TABLE_WIDTH);
  const shown = shownWindow(report);
  const { results } = shown;
  const { serverMetrics } = options;
  const bold = styler(options.color, "bold");
  const warning = styler(options.color, "yellow");
  const wrapped = (text: string): string[] => wrapText(text, width, 2);
  const [subject = "", ...load] = headLines(report, tableWidth);
  const metrics = [
    ...metricTable(shown, windowText(report), tableWidth),
    ...wholeRunLines(report, shown).flatMap(wrapped),
    ...networkLines(results),
    ...costLines(results, tableWidth),
    ...meanTokenLines(report).flatMap(wrapped),
  ];
  const parts = timeParts(evidenceOf(report, serverMetrics));
  const latencyMs = distributionOf(results, "request_latency")?.avg;
  const servers = [
    ...timeLines(parts, latencyMs, tableWidth),
    ...(serverMetrics === undefined ? [] : serverLines(
      serverMetrics,
      shownServers(serverMetrics, report).roles,
      { width: tableWidth, hasTimes: parts.length > 0 },
    )),
    ...truthLines(report, tableWidth),
    ...answersLines(report, tableWidth),
    ...agreementLines(report.reconciliation, report, tableWidth),
    ...errorLines(report, tableWidth),
  ];
  const isGood = gatesPass(report.gates, true);
  const gates = gateLines(report.gates, width, "slo").map(isGood ? (text) => text : warning);
  const caveats = [
    ...remarks(report, serverMetrics).flatMap(({ isWarning, text }) =>
      isWarning ? wrapped(text).map(warning) : wrapped(text)
    ),
  ];
  const end = [
    ...labelled("sent", wrapText(requestsText(report), width - LABEL_WIDTH, 2)),
    ...labelled("files", wrapText(filesText(report, options.directory), width - LABEL_WIDTH, 2)),
  ];
  const answer = answerLines(report, width);
  const blocks = [
    [bold(subject), ...load],
    metrics,
    [...turnTable(report, tableWidth), ...sessionBlock(report, tableWidth)],
    modelTable(report, tableWidth),
    itlDialectLines(report, tableWidth),
    options.traceTiming ? traceTable(report.results, tableWidth) : [],
  ];
  const [gpuTitle, ...gpuRows] = gpuLines(report, tableWidth);
  if (gpuTitle !== undefined) blocks.push([bold(gpuTitle), ...gpuRows]);
  const [head = "", ...details] = answer.diagnosis;
  const closing = [...(head === "" ? [] : [bold(head), ...details]), ...answer.publishable];
  return `${
    [...blocks, servers, gates, [...caveats, ...end], closing].filter((lines) => lines.length > 0)
      .map((lines) => lines.join("\n")).join("\n\n")
  }\n`;
}

/** The window of the metrics, in seconds of the run: `steady 8.5-44.9 s`, `whole run`. */
function windowText(report: ProfileReport): string {
  const steady = steadyResults(report.steady);
  if (steady === undefined || shownWindow(report).name === "run") return "whole run";
  const seconds = (epochNs: bigint): string =>
    (Number(epochNs - report.startEpochNs) / 1e9).toFixed(1);
  return `steady ${seconds(steady.startEpochNs)}-${seconds(steady.endEpochNs)} s`;
}

/** How the whole run differs from its steady state, where files under AIPerf's names have the former. */
function wholeRunLines({ results }: ProfileReport, shown: ShownWindow): string[] {
  if (shown.name === "run") return [];
  const ttft = distributionOf(results, "time_to_first_token");
  const latency = distributionOf(results, "request_latency");
  const rate = valueOf(results, "request_throughput");
  const parts = [
    ...(ttft === undefined
      ? []
      : [`TTFT p50 ${significantText(ttft.p50)}, p99 ${significantText(ttft.p99)} ms`]),
    ...(ttft !== undefined || latency === undefined
      ? []
      : [`latency p50 ${significantText(latency.p50)}, p99 ${significantText(latency.p99)} ms`]),
    ...(rate === undefined ? [] : [`${rateText(rate)} requests/s`]),
  ];
  return [`whole run: ${parts.join(", ")}`];
}

function styler(color: boolean, style: "bold" | "yellow"): (text: string) => string {
  return (text) => color ? styledText(style, text) : text;
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

function errorLines({ errors, requests }: ProfileReport, width: number): string[] {
  // One more takes no more room than to say that there is one.
  const shown = errors.slice(0, errors.length === MAX_ERRORS + 1 ? errors.length : MAX_ERRORS);
  if (shown.length === 0) return [];
  const counts = shown.map(({ count }) => wholeNumber(count));
  const widest = Math.max(...counts.map((text) => text.length));
  const others = errors.slice(shown.length).reduce((sum, { count }) => sum + count, 0);
  const share = requests.failed / (requests.failed + requests.succeeded) * 100;
  const all = `${wholeNumber(requests.failed)} of ` +
    `${wholeNumber(requests.failed + requests.succeeded)} (${
      significantText(share, { maxDecimals: 1 })
    } %)`;
  const causeOf = ({ status, type, message }: ProfileReport["errors"][number]): string =>
    printableText(status === null ? message : `${status} ${type}: ${message}`, MAX_MESSAGE);
  const [only] = shown;
  if (only !== undefined && errors.length === 1) {
    const text = `${all}  ${only.kind}  ${causeOf(only)}`;
    return labelled("errors", wrapText(text, width - LABEL_WIDTH, 2));
  }
  return labelled("errors", [
    all,
    ...shown.flatMap((error, index) => {
      const text = `${(counts[index] as string).padStart(widest)}  ${error.kind}  ${
        causeOf(error)
      }`;
      return wrapText(text, width - LABEL_WIDTH, widest + 2);
    }),
    ...(others === 0 ? [] : [`${wholeNumber(others)} of other kinds`]),
  ]);
}

/** Returns the page to open, if there is one, and the number of other files in its folder. */
function filesText({ files }: ProfileReport, directory: string): string {
  const folder = `${printableText(directory, Infinity)}/`;
  const page = files.find((name) => name.endsWith(".html"));
  const others = files.length - (page === undefined ? 0 : 1);
  const count = `${others} ${others === 1 ? "file" : "files"}`;
  return page === undefined ? `${folder} (${count})` : `${folder}${page} and ${others} more`;
}
