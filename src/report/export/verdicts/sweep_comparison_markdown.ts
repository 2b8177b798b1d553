import { differenceTexts } from "../../../measurement/compare/difference_texts.ts";
import { frontierFinding } from "../../../measurement/compare/frontier_finding.ts";
import {
  settingsText,
  type SweepComparison,
} from "../../../measurement/compare/sweep_comparison.ts";
import { markdownText } from "../markdown_text.ts";

/** `compare.md`: the finding of a comparison of sweeps, and their points as a table. */
export function sweepComparisonMarkdown(comparison: SweepComparison): string {
  const { after, before, notes, points } = comparison;
  const { cause, text } = frontierFinding(comparison);
  return [
    `### ${markdownText(after)} compared with ${markdownText(before)}`,
    "",
    `**${markdownText(text)}.**${cause === "" ? "" : ` ${markdownText(cause)}.`}`,
    "",
    "| settings | | before and after | difference | 95 % interval | |",
    "| --- | --- | ---: | ---: | ---: | --- |",
    ...points.flatMap(({ differences, settings }) =>
      differences.map(differenceTexts).map(({ difference, interval, name, values, verdict }) =>
        `| ${
          [settingsText(settings), name, values, difference, interval].map(markdownText).join(" | ")
        } | ${verdict === "not significant" ? verdict : `**${verdict}**`} |`
      )
    ),
    "",
    ...notes.map((note) => `- ${markdownText(note)}`),
    "",
  ].join("\n");
}
