import type { ProfileReport } from "../../report/model/profile_report.ts";
import type { ExportOutcome } from "../../report/model/export_outcome.ts";

/** Sends the results of one run to one system. */
export interface SystemExport {
  /**
   * Sends what belongs to a finished run, and ends. A failure is an outcome, not an error.
   * @param timeoutMs longest that it may take
   */
  finish(report: ProfileReport, timeoutMs: number): Promise<ExportOutcome>;
}
