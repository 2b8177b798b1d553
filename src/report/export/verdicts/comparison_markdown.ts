import type { Comparison } from "../../../measurement/compare/comparison.ts";
import { differenceTexts } from "../../../measurement/compare/difference_texts.ts";
import { quietDifferenceText } from "../../../measurement/compare/quiet_difference_text.ts";
import { markdownText } from "../markdown_text.ts";

/** `comparison.md`: comparisons as tables. */
export function comparisonMarkdown(comparisons: readonly Comparison[]): string {
  return comparisons.map(({ before, after, differences, notes, quiet }) =>
    [
      `### ${markdownText(after)} compared with ${markdownText(before)}`,
      "",
      "| | before and after | difference | 95 % interval | |",
      "| --- | ---: | ---: | ---: | --- |",
      ...differences.map(differenceTexts).map(({ name, values, difference, interval, verdict }) =>
        `| ${[name, values, difference, interval].map(markdownText).join(" | ")} | ${
          verdict === "not significant" ? verdict : `**${verdict}**`
        } |`
      ),
      "",
      ...(quiet === undefined ? [] : [`- ${markdownText(quietDifferenceText(quiet))}`]),
      ...notes.flatMap((note) => [`- ${markdownText(note)}`]),
      "",
    ].join("\n")
  ).join("\n");
}
