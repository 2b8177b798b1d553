/**
 * Comparison of runs as one page that needs no network, no server and no other file: the
 * differences between the sides, and charts that show all of them.
 */

import {
  countedText,
  countText,
  figureText,
  millisecondsText,
} from "../../core/chart/figure_text.ts";
import { element, escapedMarkup } from "../../core/chart/markup.ts";
import { PALETTE } from "../../core/chart/palette.ts";
import type { Comparison } from "../../measurement/compare/comparison.ts";
import { differenceTexts } from "../../measurement/compare/difference_texts.ts";
import { quietDifferenceText } from "../../measurement/compare/quiet_difference_text.ts";
import type { PageData } from "./browser/page_data.ts";
import { comparisonDistributions } from "./comparison_distributions.ts";
import { comparisonTimeline } from "./comparison_timeline.ts";
import {
  type ComparedRun,
  type ComparedSide,
  type ComparisonView,
  sideColor,
} from "./comparison_view.ts";
import { comparisonVerdict } from "./difference_findings.ts";
import { differencePicture } from "./difference_picture.ts";
import { htmlTable } from "./html_table.ts";
import { pageEnd, pageHead, type PageSummary, section } from "./page_frame.ts";
import { distributionPart, timelinePart } from "./picture_parts.ts";
import { startText } from "./run_head.ts";
import { sentence } from "./sentence.ts";
import { clientShares, timeShareSvg, totalMs } from "./time_shares.ts";
import { verdictBlock } from "./verdict.ts";

const BAR_WIDTH = 1160;
/** Statistics of the table of all metrics; metrics of one value have only `avg`. */
const STATISTICS = ["avg", "p50", "p99"] as const;

/** The page, in pieces. */
export function* comparisonPage(view: ComparisonView, summary: PageSummary): Generator<string> {
  const { sides, comparisons } = view;
  const timeline = comparisonTimeline(view);
  const spread = comparisonDistributions(view);
  yield pageHead(titleOf(view));
  yield header(view);
  yield '<main id="main">\n';
  yield comparisons.map(verdictOf).join("");
  yield section(
    "Differences",
    "differences",
    comparisons.map((one) => differencePart(one, view)).join(""),
  );
  yield section("Over time", "timeline", timelinePart(timeline));
  yield section("Distributions", "distributions", spread.map(distributionPart).join(""));
  yield section("Where time goes", "time", timePart(sides));
  yield section("Plans", "plans", plansPart(view));
  yield section("Runs", "runs", runsTable(sides));
  yield section(
    "All metrics",
    "metrics",
    `<details><summary>The whole table</summary>${metricsTable(sides)}</details>`,
  );
  yield "</main>\n";
  const data: PageData = {
    charts: [...timeline, ...spread.flatMap(({ linear, log }) => [...linear, ...log])],
    clock: timeline.map(({ id }) => id),
    plots: [],
    requests: [],
  };
  yield* pageEnd(data, summary);
}

function titleOf({ sides }: ComparisonView): string {
  const [before, ...others] = sides.map(({ label }) => label);
  return `${others.join(", ")} compared with ${before}`;
}

function header(view: ComparisonView): string {
  const keys = view.sides.map(({ label, runs }, index) => {
    const swatch = element(
      "svg",
      { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" },
      element("rect", { width: 12, height: 12, fill: PALETTE[sideColor(index)] }),
    );
    const requests = runs.reduce((sum, { sample }) => sum + sample.startSeconds.length, 0);
    const what = (runs.length === 1 ? "" : `${runs.length} runs, `) +
      countedText(requests, "request");
    return `<li>${swatch} <strong>${
      escapedMarkup(label)
    }</strong> <span class="soft">${what}</span></li>`;
  });
  return [
    '<a class="skip" href="#main">To the results</a>',
    `<header><div><h1>${escapedMarkup(titleOf(view))}</h1>`,
    `<ul class="key">${keys.join("")}</ul></div><div class="buttons">`,
    '<button id="theme" type="button" hidden>Light / dark</button>',
    '<button id="download" type="button" hidden>Download JSON</button>',
    '</div></header>\n<div id="announcements" class="unseen" role="status"></div>\n',
  ].join("");
}

function verdictOf(comparison: Comparison): string {
  return verdictBlock({
    sentence: comparisonVerdict(comparison),
    reasons: comparison.notes,
    isDoubtful: comparison.differences.length === 0 ||
      comparison.differences.some(({ verdict }) => verdict === "worse"),
  });
}

function differencePart(comparison: Comparison, { minDifference }: ComparisonView): string {
  const { before, after, differences, quiet } = comparison;
  if (differences.length === 0) return "";
  const rows = differences.map((one) => {
    const { name, values, difference, interval, verdict } = differenceTexts(one);
    return [name, values, difference, interval, verdict];
  });
  return [
    `<figure><figcaption><h3>${escapedMarkup(`${after} against ${before}`)}</h3>`,
    "<p>Difference per metric with 95 % confidence interval; changes within the grey band " +
    `(${figureText(minDifference * 100)} %) are ignored</p></figcaption>`,
    differencePicture(comparison, minDifference),
    htmlTable({
      head: ["", `${before} -> ${after}`, "difference", "95 % interval", ""],
      rows,
      textColumns: [4],
    }),
    quiet === undefined ? "" : `<p>${escapedMarkup(sentence(quietDifferenceText(quiet)))}</p>`,
    "</figure>\n",
  ].join("");
}

function timePart(sides: readonly ComparedSide[]): string {
  const shares = sides.map(({ label, runs }) => ({
    label,
    parts: clientShares((tag) => mean(runs.map(({ client }) => client.get(tag)?.stats["avg"]))),
  })).filter(({ parts }) => parts.length > 0);
  if (shares.length === 0) return "<p>No run has a breakdown of request time.</p>\n";
  const longest = Math.max(...shares.map(({ parts }) => totalMs(parts)));
  const labels = [...new Set(shares.flatMap(({ parts }) => parts.map(({ label }) => label)))];
  const cell = (parts: (typeof shares)[number]["parts"], wanted: string): string => {
    const part = parts.find(({ label }) => label === wanted);
    return part === undefined ? "-" : millisecondsText(part.ms);
  };
  return [
    "<figure><figcaption><h3>Parts of a request's time</h3>",
    "<p>Mean of all valid requests, by the client; all bars to the same scale</p></figcaption>",
    ...shares.map(({ label, parts }) => {
      const title = `${label}: ${millisecondsText(totalMs(parts))}`;
      return `<h4>${escapedMarkup(title)}</h4>` +
        timeShareSvg({ title, parts }, BAR_WIDTH, false, longest);
    }),
    htmlTable({
      head: ["part", ...shares.map(({ label }) => label)],
      rows: labels.map((label) => [label, ...shares.map(({ parts }) => cell(parts, label))]),
    }),
    "</figure>\n",
  ].join("");
}

function plansPart({ sides, settings }: ComparisonView): string {
  if (settings.length === 0) {
    return "<p>Both runs have the same plan: seed, load, model and prompts match.</p>\n";
  }
  return `<p>Settings that differ. Where seed, load, model or prompts do, it is not only the servers
that are compared.</p>${
    htmlTable({
      head: ["setting", ...sides.map(({ label }) => label)],
      rows: settings.map(({ name, values }) => [name, ...values]),
      textColumns: sides.map((_, index) => index + 1),
    })
  }`;
}

function runsTable(sides: readonly ComparedSide[]): string {
  const rows = sides.flatMap(({ label, runs }) =>
    runs.map((run) => [label, run.directory, countText(run.sample.startSeconds.length), ...by(run)])
  );
  return htmlTable({
    head: ["side", "folder", "requests", "first request", "made by", "on"],
    rows,
    textColumns: [1, 3, 4, 5],
  });
}

function by({ sample, product, machine }: ComparedRun): string[] {
  return [startText(sample), product ?? "", machine ?? ""];
}

/** Every metric that any side has. */
function metricsTable(sides: readonly ComparedSide[]): string {
  const units = new Map<string, string>();
  for (const { runs } of sides) {
    for (const { client } of runs) {
      for (const [tag, { unit }] of client) {
        if (!units.has(tag) && unit !== "ns") units.set(tag, unit);
      }
    }
  }
  const rows = [...units].flatMap(([tag, unit]) =>
    STATISTICS.flatMap((statistic) => {
      const values = sides.map(({ runs }) =>
        mean(runs.map(({ client }) => client.get(tag)?.stats[statistic]))
      );
      if (values.every((value) => value === undefined)) return [];
      return [[
        tag,
        statistic,
        unit,
        ...values.map((value) => value === undefined ? "" : figureText(value)),
      ]];
    })
  );
  const isMean = sides.some(({ runs }) => runs.length > 1);
  return htmlTable({
    ...(isMean ? { caption: "Mean of several runs per side" } : {}),
    head: ["metric", "statistic", "unit", ...sides.map(({ label }) => label)],
    rows,
    textColumns: [1, 2],
  });
}

/** Returns the mean of the values that are not undefined; undefined without any. */
function mean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined && Number.isFinite(value)) as number[];
  return known.length === 0
    ? undefined
    : known.reduce((sum, value) => sum + value, 0) / known.length;
}
