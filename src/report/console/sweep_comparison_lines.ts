import { differenceTexts } from "../../measurement/compare/difference_texts.ts";
import { frontierFinding } from "../../measurement/compare/frontier_finding.ts";
import { type GivenSpeed, givenSpeeds } from "../../measurement/compare/given_speeds.ts";
import { percentText } from "../../measurement/compare/percent_text.ts";
import {
  settingsText,
  stepVerdict,
  type SweepComparison,
} from "../../measurement/compare/sweep_comparison.ts";
import { significantText } from "./number_text.ts";
import { NOTE_LENGTH, printableText } from "./printable_text.ts";
import { renderTable, tableWidth, type TextTable } from "./text_table.ts";
import { wrapText } from "./wrap_text.ts";

const LABEL_WIDTH = 16;
/** Statistics of a point that the terminal shows, the first ones where there is room; files have all. */
const SHOWN = [
  "tokens/s out",
  "session duration",
  "drift",
  "correct",
  "valid",
  "anomalies",
  "TTFT p50",
  "ITL p50",
];

/** Returns a comparison of sweeps: the finding, both frontiers, and the points that both have. */
export function sweepComparisonLines(comparison: SweepComparison, width: number): string[] {
  const { text, cause } = frontierFinding(comparison);
  const tables = [frontierTable(comparison, width), pointTable(comparison, width)];
  return [
    ...wrapText(printableText(text, NOTE_LENGTH), width, 2),
    ...(cause === "" ? [] : wrapText(printableText(cause, NOTE_LENGTH), width, 2)),
    ...tables.filter((table) => table !== "").flatMap((table) => ["", ...table.split("\n")]),
    ...comparison.notes.flatMap((note) =>
      wrapText(`note: ${printableText(note, NOTE_LENGTH)}`, width, 2)
    ),
  ];
}

/** Throughput at given speeds; empty without a frontier. */
function frontierTable(comparison: SweepComparison, width: number): string {
  const { after, before, frontier, isPerGpu } = comparison;
  const given = givenSpeeds(frontier);
  if (given.length === 0) return "";
  const unit = isPerGpu ? "tokens/s/GPU" : "tokens/s";
  return renderTable({
    head: [
      "tokens/s/user",
      `${printableText(before, LABEL_WIDTH)} ${unit}`,
      `${printableText(after, LABEL_WIDTH)} ${unit}`,
      ...["difference", "95 % interval", ""],
    ],
    rows: given.map((one) => [
      significantText(one.speed),
      speedValueText(one.before),
      speedValueText(one.after),
      ...differenceCells(one, comparison),
    ]),
    flexible: 0,
    minFlexible: 8,
    alignments: ["right", "right", "right", "right", "right", "left"],
  }, width);
}

/** A throughput, or why there is none. */
function speedValueText(value: GivenSpeed["before"]): string {
  return typeof value === "number" ? significantText(value) : value;
}

/** Difference, interval and verdict at a speed; empty where one side does not reach it. */
function differenceCells({ step }: GivenSpeed, comparison: SweepComparison): string[] {
  if (step === undefined) return ["", "", ""];
  return [
    percentText(step.difference),
    Number.isNaN(step.lower) ? "none" : `${percentText(step.lower)} .. ${percentText(step.upper)}`,
    stepVerdict(step, comparison),
  ];
}

/** The points with equal settings, a row for each, with as many statistics as the width has room for. */
function pointTable({ after, before, points }: SweepComparison, width: number): string {
  const names = SHOWN.filter((name) =>
    points.some(({ differences }) => differences.some(({ statistic }) => statistic.name === name))
  );
  if (names.length === 0) return "";
  const head = `${printableText(before, LABEL_WIDTH)} -> ${printableText(after, LABEL_WIDTH)}`;
  const tables = names.map((_, index) => pointRows(points, head, names.slice(0, index + 1)));
  const widest = tables.findLast((table) => tableWidth(table) <= width) ?? tables[0] as TextTable;
  return renderTable(widest, width);
}

function pointRows(
  points: SweepComparison["points"],
  head: string,
  names: readonly string[],
): TextTable {
  return {
    head: [head, ...names.flatMap((name) => [name, "", ""])],
    rows: points.map(({ differences, settings }) => [
      printableText(settingsText(settings), Infinity),
      ...names.flatMap((name) => {
        const found = differences.find(({ statistic }) => statistic.name === name);
        if (found === undefined) return ["", "", ""];
        const { difference, values, verdict } = differenceTexts(found);
        return [values, difference, verdict];
      }),
    ]),
    flexible: 0,
    minFlexible: 12,
    alignments: ["left", ...names.flatMap(() => ["right", "right", "left"] as const)],
  };
}
