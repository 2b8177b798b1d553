import type { Comparison } from "../../measurement/compare/comparison.ts";
import { differenceTexts } from "../../measurement/compare/difference_texts.ts";
import { quietDifferenceText } from "../../measurement/compare/quiet_difference_text.ts";
import { displayWidth } from "./display_width.ts";
import { NOTE_LENGTH, printableText } from "./printable_text.ts";
import { wrapText } from "./wrap_text.ts";

const LABEL_WIDTH = 16;

/** Returns a comparison: a line for each statistic, and the notes about it. */
export function comparisonLines(
  { before, after, differences, notes, quiet, window }: Comparison,
  width: number,
): string[] {
  const rows = differences.map(differenceTexts);
  const head = {
    name: "compare",
    values: `${printableText(before, LABEL_WIDTH)} -> ${printableText(after, LABEL_WIDTH)}`,
    difference: "difference",
    interval: "95 % interval",
    verdict: window === "steady" ? "steady state" : "whole run",
  };
  const columns = [
    { of: "name", right: false },
    { of: "values", right: true },
    { of: "difference", right: true },
    { of: "interval", right: true },
    { of: "verdict", right: false },
  ] as const;
  const widths = columns.map(({ of }) =>
    Math.max(...[head, ...rows].map((row) => displayWidth(row[of])))
  );
  const lines = [head, ...rows].map((row) =>
    columns.map(({ of, right }, i) => {
      const blanks = " ".repeat((widths[i] as number) - displayWidth(row[of]));
      return right ? blanks + row[of] : row[of] + blanks;
    }).join("  ").trimEnd()
  );
  return [
    ...lines,
    ...(quiet === undefined ? [] : wrapText(quietDifferenceText(quiet), width, 2)),
    ...notes.flatMap((note) => wrapText(`note: ${printableText(note, NOTE_LENGTH)}`, width, 2)),
  ];
}
