/** Comparison of two sweeps as one page: both frontiers, their difference, and the points of both. */

import { figureText } from "../../core/chart/figure_text.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import { differenceTexts } from "../../measurement/compare/difference_texts.ts";
import type { FrontierDifference } from "../../measurement/compare/frontier_difference.ts";
import {
  frontierFinding,
  leadText,
  speedText,
} from "../../measurement/compare/frontier_finding.ts";
import { type GivenSpeed, givenSpeeds } from "../../measurement/compare/given_speeds.ts";
import { percentText } from "../../measurement/compare/percent_text.ts";
import {
  settingsText,
  stepVerdict,
  type SweepComparison,
} from "../../measurement/compare/sweep_comparison.ts";
import { type CardCell, cardTable } from "./card_table.ts";
import { commandBlock } from "./command_block.ts";
import {
  answerPart,
  type Fact,
  headPart,
  pageBar,
  pageEnd,
  pageHead,
  type PageSummary,
  section,
} from "./page_frame.ts";
import { PLOT_KEYS, plotKey, plotPart } from "./plot_part.ts";
import { frontierDifferencePlot, frontiersPlot, SIDES } from "./sweep_comparison_plots.ts";
import { sentence } from "./sentence.ts";
import assets from "./sweep_page_assets.json" with { type: "json" };
import { unbroken } from "./unbroken.ts";
import { markShapes } from "./verdict_mark.ts";

/** Statistics of the table of points, the first ones that exist. */
const SHOWN = [
  ...["tokens/s out", "TTFT p50", "TTFT p99", "ITL p50"],
  ...["session duration", "session hit rate", "drift", "correct", "valid", "anomalies"],
];

/**
 * The page, in pieces.
 * @param command command line that compares the sweeps again
 */
export function* sweepComparisonPage(
  comparison: SweepComparison,
  command: string,
  summary: PageSummary,
): Generator<string> {
  const { after, before } = comparison;
  const frontiers = frontiersPlot(comparison);
  const difference = frontiers && frontierDifferencePlot(comparison, frontiers.x);
  yield pageHead(`${after} compared with ${before}`, { assets });
  yield markShapes() + pageBar("comparison of two sweeps", [
    ["theme", "Light / dark"],
    ["copy", "Copy command"],
    ["download", "Download JSON"],
  ]);
  yield `<main id="main">\n${PLOT_KEYS}${head(comparison)}${findingPart(comparison)}`;
  if (frontiers !== undefined) {
    yield section(
      escapedMarkup(unbroken(reachTitle(comparison))),
      "frontier",
      `<p class="lead">Texts are settings of points, lines 95 % intervals. Right and up is better. ` +
        "Output tokens only.</p>" +
        plotKey([
          [SIDES.before.color, SIDES.before.shape, before],
          [SIDES.after.color, SIDES.after.shape, after],
        ]) + plotPart(frontiers),
    );
  }
  if (difference !== undefined) {
    yield section(
      escapedMarkup(unbroken(leadText(comparison))),
      "difference",
      '<p class="lead">Difference in throughput at the same tokens/s/user, along the same axis as ' +
        "above. Grey: pointwise 95 % interval; where it includes zero the difference is not " +
        "significant. Beyond what both reach nothing is compared.</p>" + plotPart(difference),
    );
  }
  yield section("Throughput at a given speed", "speeds", speedTable(comparison));
  yield section("The same settings on both", "points", pointTable(comparison));
  if (comparison.notes.length > 0) {
    const notes = comparison.notes.map((note) => `<li>${escapedMarkup(note)}</li>`);
    yield section("Before you publish", "notes", `<ul class="remarks">${notes.join("")}</ul>\n`);
  }
  yield section("Reproduce", "plan", `<h3>The command</h3>${commandBlock(command)}`);
  yield "</main>\n";
  yield* pageEnd([frontiers, difference].filter((plot) => plot !== undefined), summary, assets);
}

function head(comparison: SweepComparison): string {
  const { after, before, isPerGpu, onlyAfter, onlyBefore, points, sides } = comparison;
  const runs = [...sides.before, ...sides.after].map(({ runs }) => runs);
  const facts: Fact[] = [
    ["A", before],
    ["B", after],
    [
      "Joined",
      `${points.length} points by their settings` +
      (onlyBefore.length + onlyAfter.length === 0
        ? ""
        : `, ${onlyBefore.length} only in A, ${onlyAfter.length} only in B`),
    ],
    ...(runs.length === 0 ? [] : [["Runs", `${rangeText(runs)} for each point and side`] as const]),
    ["Throughput", isPerGpu ? "per GPU" : "in total; GPUs are not stated on both sides"],
  ];
  return headPart(`Comparison of two sweeps: ${before} and ${after}`, facts);
}

function rangeText(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? String(least) : `${least} to ${most}`;
}

function findingPart(comparison: SweepComparison): string {
  const { cause, text } = frontierFinding(comparison);
  const why = cause === "" ? "" : escapedMarkup(unbroken(sentence(cause)));
  return answerPart("Finding", escapedMarkup(unbroken(text)), why);
}

function reachTitle({ after, before, frontier: { ranges } }: SweepComparison): string {
  const fastest = (name: string, range: FrontierDifference["ranges"]["both"]): string =>
    range === undefined ? `${name} no speed` : `${name} up to ${speedText(range[1])}`;
  return `${fastest(before, ranges.before)}, ${fastest(after, ranges.after)} tokens/s/user`;
}

function speedTable(comparison: SweepComparison): string {
  const { after, before, frontier, isPerGpu } = comparison;
  const unit = isPerGpu ? "tokens/s/GPU" : "tokens/s";
  const given = givenSpeeds(frontier);
  if (given.length === 0) return "<p>Neither side has a frontier.</p>\n";
  return cardTable({
    head: ["users get", `${before}, ${unit}`, `${after}, ${unit}`, "difference", "verdict"],
    rows: given.map((one) => [
      `${figureText(one.speed)} tokens/s`,
      ...[one.before, one.after].map((value) => ({
        text: typeof value === "number" ? figureText(value) : value,
      })),
      differenceCell(one),
      verdictCell(comparison, one),
    ]),
  }) +
    '<p class="soft">Between two points of a frontier, the logarithm of the throughput is linear; ' +
    "beyond a side's points nothing is stated.</p>\n";
}

function differenceCell({ step }: GivenSpeed): CardCell {
  if (step === undefined) return { text: "" };
  const { difference, lower, upper } = step;
  return {
    text: percentText(difference),
    ...(Number.isNaN(lower) ? {} : { small: `${percentText(lower)} to ${percentText(upper)}` }),
  };
}

/** Better side at a speed, or the only one that reaches it. */
function verdictCell(
  comparison: SweepComparison,
  { after: b, before: a, step }: GivenSpeed,
): CardCell {
  const { after, before } = comparison;
  if (step !== undefined) {
    const verdict = stepVerdict(step, comparison);
    if (verdict === "not significant" || verdict === "not comparable") return { text: verdict };
    return { text: `${verdict === "better" ? after : before} better` };
  }
  if (typeof a === "number") return { text: `only ${before}` };
  return { text: typeof b === "number" ? `only ${after}` : "" };
}

function pointTable({ after, before, points }: SweepComparison): string {
  if (points.length === 0) return "<p>No point has the same settings on both sides.</p>\n";
  const names = SHOWN.filter((name) =>
    points.some(({ differences }) => differences.some(({ statistic }) => statistic.name === name))
  );
  return `<p class="lead">${
    escapedMarkup(`From ${before} to ${after}`)
  }, with 95 % intervals that hold together in a point.</p>` +
    cardTable({
      head: ["settings", ...names],
      rows: points.map(({ differences, settings }) => [
        settingsText(settings),
        ...names.map((name): CardCell => {
          const found = differences.find(({ statistic }) => statistic.name === name);
          if (found === undefined) return { text: "" };
          const { difference, interval, values, verdict } = differenceTexts(found);
          const range = interval === "none" ? "no interval" : interval;
          return {
            text: values,
            small: `${difference} (${range}) ${verdict}`,
            ...(verdict === "better"
              ? { smallClass: "met" }
              : verdict === "worse"
              ? { smallClass: "missed" }
              : {}),
          };
        }),
      ]),
    });
}
