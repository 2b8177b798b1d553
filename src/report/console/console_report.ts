import type { ProfileReport } from "../model/profile_report.ts";
import { compactReport } from "./compact_report.ts";
import type { ConsoleOptions } from "./console_options.ts";
import { fullReport } from "./full_report.ts";

/** The report that ends a run. */
export function consoleReport(report: ProfileReport, options: ConsoleOptions): string {
  return options.style === "full" ? fullReport(report, options) : compactReport(report, options);
}
