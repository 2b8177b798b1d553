import type { SweepComparison } from "../../measurement/compare/sweep_comparison.ts";
import { sweepComparisonLines } from "../../report/console/sweep_comparison_lines.ts";
import { sweepComparisonJson } from "../../report/export/verdicts/sweep_comparison_json.ts";
import { sweepComparisonMarkdown } from "../../report/export/verdicts/sweep_comparison_markdown.ts";
import { sweepComparisonPage } from "../../report/html/sweep_comparison_page.ts";
import { writeFiles } from "./write_files.ts";

/** Names of the files of a comparison of sweeps. */
const FILES = { json: "compare.json", markdown: "compare.md", page: "compare.html" } as const;

/** A comparison of sweeps as it is shown. */
export function comparedSweepsText(comparison: SweepComparison, width: number): string {
  return `${sweepComparisonLines(comparison, width).join("\n")}\n`;
}

/**
 * Writes the files of a comparison of sweeps.
 * @param command command line that compares them again
 * @returns their names
 * @throws {ExportError} if one cannot be written
 */
export async function writeComparedSweeps(
  directory: string,
  comparison: SweepComparison,
  command: string,
): Promise<readonly string[]> {
  const summaryJson = sweepComparisonJson(comparison);
  const summary = { summaryJson, summaryName: FILES.json };
  await writeFiles(directory, [
    [FILES.json, () => summaryJson],
    [FILES.markdown, () => sweepComparisonMarkdown(comparison)],
    [FILES.page, () => [...sweepComparisonPage(comparison, command, summary)].join("")],
  ]);
  return Object.values(FILES);
}
