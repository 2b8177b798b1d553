import type { ProfileReport } from "../model/profile_report.ts";
import type { ServerMetricsReport } from "../model/server_metrics_report.ts";
import { hintLines } from "./hint_lines.ts";
import { NOTE_LENGTH, printableText } from "./printable_text.ts";
import { verdictLines } from "./verdict_lines.ts";

/** A remark that readers of the results need. */
export interface Remark {
  readonly text: string;
  /** Whether it limits what the results are worth. */
  readonly isWarning: boolean;
}

/** The remarks on a run, the same for the terminal and the page. */
export function remarks(
  report: ProfileReport,
  serverMetrics: Pick<ServerMetricsReport, "notes"> | undefined,
): Remark[] {
  return [
    ...hintLines(report).map((text) => ({ text, isWarning: false })),
    ...[...report.notes, ...serverMetrics?.notes ?? []].map((note) => ({
      text: `note: ${printableText(note, NOTE_LENGTH)}`,
      isWarning: true,
    })),
    ...verdictLines(report).map((text) => ({ text, isWarning: true })),
  ];
}
