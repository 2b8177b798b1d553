import type { ProfileReport } from "../model/profile_report.ts";
import { compactReport } from "./compact_report.ts";
import type { ConsoleOptions } from "./console_options.ts";
import { fullReport } from "./full_report.ts";
import { quietReport } from "./quiet_report.ts";
import { summaryJson } from "./summary_json.ts";

/** The report that ends a run. */
export function consoleReport(report: ProfileReport, options: ConsoleOptions): string {
  switch (options.style) {
    case "compact":
      return compactReport(report, options);
    case "full":
      return fullReport(report, options);
    case "quiet":
      return quietReport(report);
    case "json":
      return summaryJson(report, options);
  }
}
