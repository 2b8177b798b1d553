import type { SweepComparison } from "../../measurement/compare/sweep_comparison.ts";
import { sweepComparisonLines } from "../../report/console/sweep_comparison_lines.ts";
import { sweepComparisonJson } from "../../report/export/verdicts/sweep_comparison_json.ts";
import { sweepComparisonMarkdown } from "../../report/export/verdicts/sweep_comparison_markdown.ts";
import { writeFiles } from "./write_files.ts";

/** Names of the files of a comparison of sweeps. */
const FILES = { json: "compare.json", markdown: "compare.md" } as const;

/** A comparison of sweeps as it is shown. */
export function comparedSweepsText(comparison: SweepComparison, width: number): string {
  return `${sweepComparisonLines(comparison, width).join("\n")}\n`;
}

/**
 * Writes the files of a comparison of sweeps.
 * @returns their names
 * @throws {ExportError} if one cannot be written
 */
export async function writeComparedSweeps(
  directory: string,
  comparison: SweepComparison,
): Promise<readonly string[]> {
  await writeFiles(directory, [
    [FILES.json, () => sweepComparisonJson(comparison)],
    [FILES.markdown, () => sweepComparisonMarkdown(comparison)],
  ]);
  return Object.values(FILES);
}
