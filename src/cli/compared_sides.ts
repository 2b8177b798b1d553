import { compareAll, type Comparison } from "../compare/comparison.ts";
import { comparisonJson } from "../export/comparison_json.ts";
import { comparisonMarkdown } from "../export/comparison_markdown.ts";
import { sideNotes, type StoredSide } from "../results/open_side.ts";
import { comparisonLines } from "../ui/comparison_lines.ts";
import { writeFiles } from "./write_files.ts";

/** Compares the first side with each of the others. */
export function comparedSides(
  sides: readonly StoredSide[],
  minDifference: number,
): Comparison[] {
  const [before, ...others] = sides;
  if (before === undefined) return [];
  return others.flatMap((after) =>
    compareAll([before, after], { minDifference }, () => sideNotes(before, after))
  );
}

/** Comparisons as they are shown. */
export function comparisonText(comparisons: readonly Comparison[], width: number): string {
  return comparisons.map((one) => `${comparisonLines(one, width).join("\n")}\n`).join("\n");
}

/** Writes the files of comparisons. */
export async function writeComparison(
  directory: string,
  comparisons: readonly Comparison[],
): Promise<void> {
  await writeFiles(directory, [
    ["comparison.json", () => comparisonJson(comparisons)],
    ["comparison.md", () => comparisonMarkdown(comparisons)],
  ]);
}
