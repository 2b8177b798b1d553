import { compareAll, type Comparison } from "../../measurement/compare/comparison.ts";
import { comparisonLines } from "../../report/console/comparison_lines.ts";
import { comparisonJson } from "../../report/export/verdicts/comparison_json.ts";
import { comparisonMarkdown } from "../../report/export/verdicts/comparison_markdown.ts";
import { comparisonPage } from "../../report/html/comparison_page.ts";
import { comparisonViewOf } from "../../results/collect/comparison_view_of.ts";
import { sideNotes, type StoredSide } from "../../results/collect/open_side.ts";
import { writeFiles } from "./write_files.ts";

/** Compares the first side with each of the others. */
export function comparedSides(
  sides: readonly StoredSide[],
  minDifference: number,
): Comparison[] {
  const [before, ...others] = sides;
  if (before === undefined) return [];
  return others.flatMap((after) =>
    compareAll(
      [before, after],
      { minDifference, window: windowOf(sides), isComparable: areComparable([before, after]) },
      () => sideNotes(before, after),
    )
  );
}

/** Whether no run of any side is known to be incomparable. */
function areComparable(sides: readonly StoredSide[]): boolean {
  return sides.every(({ runs }) => runs.every(({ incomparable }) => incomparable === undefined));
}

/** Part of the runs that is compared. */
function windowOf(sides: readonly StoredSide[]): Comparison["window"] {
  return sides.every(({ runs }) => runs.every(({ window }) => window === "steady"))
    ? "steady"
    : "run";
}

/** Comparisons as they are shown. */
export function comparisonText(comparisons: readonly Comparison[], width: number): string {
  return comparisons.map((one) => `${comparisonLines(one, width).join("\n")}\n`).join("\n");
}

/** Names of the files of comparisons. */
const FILES = { json: "comparison.json", markdown: "comparison.md", page: "compare.html" } as const;

/**
 * Writes the files of comparisons.
 * @returns their names
 */
export async function writeComparison(
  directory: string,
  sides: readonly StoredSide[],
  comparisons: readonly Comparison[],
  minDifference: number,
): Promise<readonly string[]> {
  const json = comparisonJson(comparisons);
  await writeFiles(directory, [
    [FILES.json, () => json],
    [FILES.markdown, () => comparisonMarkdown(comparisons)],
    [FILES.page, () => comparedPage(sides, comparisons, minDifference, json)],
  ]);
  return Object.values(FILES);
}

function comparedPage(
  sides: readonly StoredSide[],
  comparisons: readonly Comparison[],
  minDifference: number,
  summaryJson: string,
): string {
  const view = comparisonViewOf(sides, comparisons, minDifference);
  return [...comparisonPage(view, { summaryJson, summaryName: FILES.json })].join("");
}
