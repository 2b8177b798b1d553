import { styledText } from "./styled_text.ts";
import type { ServerMetricsReport } from "../model/server_metrics_report.ts";
import { fileLines } from "./file_lines.ts";
import { durationText } from "./number_text.ts";
import { NOTE_LENGTH, printableText } from "./printable_text.ts";
import { keyMetricsTables } from "./server_metrics_tables.ts";
import { renderTable } from "./text_table.ts";
import { wrapText } from "./wrap_text.ts";

/** Settings of the report's text. */
export interface ServerMetricsTextOptions {
  readonly width: number;
  readonly color: boolean;
  /** Folder of the files. */
  readonly directory: string;
  readonly files: readonly string[];
}

/** The tables and lines that end a scrape without load. */
export function serverMetricsReportText(
  report: ServerMetricsReport,
  { width, color, directory, files }: ServerMetricsTextOptions,
): string {
  const title = (text: string): string => color ? styledText("bold", text) : text;
  const parts = keyMetricsTables(report, width).flatMap(([kind, table]) => [
    title(`inferometer | Server Metrics (${kind}; ~ estimated)`),
    table,
  ]);
  if (report.endpoints.length > 0) {
    parts.push(title("inferometer | Endpoints"), endpointTable(report, width));
  }
  const series = report.metrics.reduce((sum, { series }) => sum + series.length, 0);
  const seconds = Number(report.endNs - report.startNs) / 1e9;
  parts.push(
    `server metrics: ${report.metrics.length} metrics, ${series} series, ${durationText(seconds)}` +
      (report.wasCancelled ? ", INTERRUPTED" : ""),
  );
  for (const note of report.notes) {
    parts.push(...wrapText(`note: ${printableText(note, NOTE_LENGTH)}`, width, 2));
  }
  if (files.length > 0) {
    parts.push(`artifacts: ${printableText(directory, Infinity)}/`, ...fileLines(files, width));
  }
  return `${parts.join("\n")}\n`;
}

function endpointTable({ endpoints }: ServerMetricsReport, width: number): string {
  return renderTable({
    head: ["Endpoint", "scrapes", "changed", "failed", "skipped", "latency (ms)"],
    rows: endpoints.map((endpoint) => [
      endpoint.url,
      String(endpoint.totalFetches),
      String(endpoint.uniqueUpdates),
      String(Object.values(endpoint.failures).reduce((sum, count) => sum + count, 0)),
      String(endpoint.skippedScrapes),
      endpoint.avgFetchLatencyMs.toFixed(2),
    ]),
    flexible: 0,
    minFlexible: 16,
    alignments: ["left", "right", "right", "right", "right", "right"],
  }, width);
}
