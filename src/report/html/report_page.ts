/**
 * The report of a run as one page that needs no network, no server and no other file. Text of servers
 * and inputs is escaped, and a policy keeps the browser from loading, sending or running anything
 * besides the page's own script and style.
 */

import type { Chart } from "../../core/chart/chart.ts";
import { countedText, countText, millisecondsText } from "../../core/chart/figure_text.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import { percentText } from "../diagnosis/evidence_text.ts";
import { tokenSourceText } from "../model/token_source.ts";
import { answersPart } from "./answers_part.ts";
import { answerBlock } from "./answer_block.ts";
import type { PageData } from "./browser/page_data.ts";
import { chartFigure } from "./chart_figure.ts";
import { type Distribution, distributions } from "./distribution_charts.ts";
import { errorChart } from "./error_chart.ts";
import { gpuPageTables } from "./gpu_page_tables.ts";
import { htmlTable } from "./html_table.ts";
import { metricCards, metricsTitle } from "./metric_cards.ts";
import { pageEnd, pageHead, type PageSummary, section } from "./page_frame.ts";
import {
  errorsTable,
  factList,
  gatesTable,
  itlDialectsTable,
  metricsTable,
  modelsTable,
  serverTables,
  settingFacts,
  turnsTable,
} from "./page_tables.ts";
import { distributionPart, timelinePart } from "./picture_parts.ts";
import { sessionsPart } from "./sessions_part.ts";
import { publishPart, repeatPart } from "./publish_part.ts";
import { requestChart } from "./request_chart.ts";
import { requestDetails } from "./request_details.ts";
import { modelName, runBar, runHead } from "./run_head.ts";
import type { RunView } from "./run_view.ts";
import { serverFactLists } from "./server_fact_lists.ts";
import { serverPanel, serverTitle } from "./server_panel.ts";
import { timelineCharts } from "./timeline_charts.ts";
import { timelineTitle } from "./timeline_title.ts";
import { timeShares, timeShareSvg } from "./time_shares.ts";
import { markShapes } from "./verdict_mark.ts";
import { truthTables } from "./truth_tables.ts";

/** Settings of a page besides the run. */
export interface ReportPageOptions extends PageSummary {
  /** Page of the run's conversations in the folder; undefined for none. */
  readonly conversationsName?: string | undefined;
}

/** Charts on the clock at the top of the page; latency where the first token is not visible. */
const PANELS = ["time-in-flight", "time-ttft", "time-itl", "time-tokens"];

/** The page, in pieces. */
export function* reportPage(view: RunView, options: ReportPageOptions): Generator<string> {
  view.release?.();
  const timeline = timelineCharts(view);
  const scatter = requestChart(view);
  view.release?.();
  const spread = distributions(view);
  view.release?.();
  const failures = errorChart(view);
  const { panels, others } = dividedTimeline(timeline);
  const clock = [...panels, failures, ...others, scatter].filter((chart) => chart !== undefined);
  yield pageHead(pageTitle(view));
  yield markShapes() + runBar(view);
  yield '<main id="main">\n';
  yield runHead(view) + answerBlock(view);
  yield section(escapedMarkup(metricsTitle(view)), "metrics", metricCards(view));
  yield gatesTable(view);
  const sessions = view.sessions && view.report.sessions &&
    sessionsPart(view.sessions, view.report.sessions);
  if (sessions !== undefined) {
    yield section(escapedMarkup(sessions.title), "sessions", sessions.content);
  }
  yield section(escapedMarkup(timelineTitle(view)), "timeline", timelinePart(panels, "panel"));
  yield section(escapedMarkup(serverTitle(view)), "server", serverPanel(view));
  yield section(errorsTitle(view), "errors", errorsPart(view, failures));
  const answers = answersPart(view.report);
  if (answers !== "") yield section("Answers", "answers", answers);
  yield section("Before you publish", "publish", publishPart(view));
  yield section("Reproduce", "repeat", repeatPart(view));
  yield* detailSections(view, options, { others, scatter, spread });
  yield "</main>\n";
  const data: PageData = {
    charts: [
      ...clock.map((chart) => chart === scatter ? withoutPoints(chart) : chart),
      ...spread.flatMap(({ linear, log }) => [...linear, ...log]),
    ],
    clock: clock.map(({ id }) => id),
    plots: sessions?.plots ?? [],
    requests: requestDetails(view),
  };
  yield* pageEnd(data, options);
}

/** Charts of the parts below the answers. */
interface DetailCharts {
  readonly others: readonly Chart[];
  readonly scatter: Chart | undefined;
  readonly spread: readonly Distribution[];
}

/** Details: each request, distributions, all metrics, settings. */
function* detailSections(
  view: RunView,
  options: ReportPageOptions,
  { others, scatter, spread }: DetailCharts,
): Generator<string> {
  const { report } = view;
  yield section(
    "More over time",
    "more",
    others.map((chart) => chartFigure(chart, "wide")).join("") || absent("No further charts"),
  );
  yield section(
    "Distributions",
    "distributions",
    spread.map(distributionPart).join("") || absent("No request succeeded"),
  );
  const models = modelsTable(report);
  if (models !== "") yield section("Models", "models", models);
  const turns = turnsTable(report);
  if (turns !== "") {
    yield section("Turns of sessions", "turns", turns + conversationsLink(options));
  }
  yield section("Every request", "requests", scatterPart(scatter));
  yield section("Where time goes", "time", timePart(view));
  yield section(
    "All metrics",
    "all",
    `${itlDialectsTable(report)}<details><summary>Client</summary>${metricsTable(view)}</details>` +
      truthTables(report) + serverTables(view) + gpuPageTables(report),
  );
  yield section("Settings and files", "plan", planPart(view));
}

/** The panels of the first clock, each but the last without the title of its axis, and the rest. */
function dividedTimeline(timeline: readonly Chart[]): { panels: Chart[]; others: Chart[] } {
  const wanted = timeline.some(({ id }) => id === "time-ttft")
    ? PANELS
    : [...PANELS, "time-latency"];
  const panels = timeline.filter(({ id }) => wanted.includes(id))
    .sort((a, b) => wanted.indexOf(a.id) - wanted.indexOf(b.id))
    .map((chart, index, all) => index === all.length - 1 ? chart : { ...chart, isPanel: true });
  return { panels, others: timeline.filter(({ id }) => !wanted.includes(id)) };
}

/** Title of the document: the finding comes first. */
function pageTitle({ report }: RunView): string {
  const { diagnosis } = report;
  const model = modelName(report);
  return diagnosis === undefined ? model : `${diagnosis.text} - ${model}`;
}

/** Points are drawn from the requests, which are in the page anyway. */
function withoutPoints(chart: Chart): Chart {
  return {
    ...chart,
    series: chart.series.map((series) => ({ ...series, x: [], y: [], radii: [] })),
  };
}

function conversationsLink({ conversationsName: name }: ReportPageOptions): string {
  if (name === undefined) return "";
  const link = escapedMarkup(encodeURIComponent(name));
  return `<p><a href="${link}">Conversations by turn</a></p>\n`;
}

function absent(reason: string): string {
  return `<p>${escapedMarkup(reason)}.</p>\n`;
}

function scatterPart(chart: Chart | undefined): string {
  if (chart === undefined) return absent("No request was recorded");
  const panel = '<div id="request-details" role="status"><p class="soft">Click a request for its ' +
    "details; with the keyboard n and p go to the next and the one before.</p></div>";
  return chartFigure(chart, "wide", panel);
}

function timePart(view: RunView): string {
  const shares = timeShares(view);
  if (shares.length === 0) {
    return absent("The transport in use does not tell the parts of a request");
  }
  return shares.map((share) =>
    `<figure><figcaption><h3>${escapedMarkup(share.title)}</h3>` +
    `<p>${escapedMarkup(share.basis)}</p></figcaption>` +
    `${timeShareSvg(share, 1160, false)}${
      htmlTable({
        head: ["part", "mean", "what it is"],
        rows: share.parts.map((
          { label, ms, explanation },
        ) => [label, millisecondsText(ms), explanation]),
        textColumns: [2],
      })
    }</figure>\n`
  ).join("");
}

function errorsPart(view: RunView, failures: Chart | undefined): string {
  return (failures === undefined ? "" : chartFigure(failures, "wide")) + errorsTable(view);
}

/** How many requests failed: `4 of 252 requests failed (1.6 %)`. */
function errorsTitle({ report: { requests: { failed, succeeded } } }: RunView): string {
  const all = failed + succeeded;
  if (failed === 0) return all === 0 ? "Errors" : `None of ${countedText(all, "request")} failed`;
  return `${countText(failed)} of ${countedText(all, "request")} failed (${
    percentText(failed / all)
  })`;
}

function planPart({ environment, report }: RunView): string {
  const facts = [
    ["tokenizer", report.tokenizer] as const,
    [
      "tokens counted by",
      report.tokenSource === undefined ? "" : tokenSourceText(report.tokenSource, report.tokenizer),
    ] as const,
    ["benchmark id", report.benchmarkId] as const,
    ...environment,
  ].filter(([, value]) => value !== "");
  const files = report.files.map((name) => `<li>${escapedMarkup(name)}</li>`).join("");
  return [
    `<h3>Environment</h3>${factList(facts)}`,
    serverFactLists(report),
    `<details><summary>All settings</summary>${factList(settingFacts(report))}</details>`,
    `<details><summary>${
      countText(report.files.length)
    } files next to this page</summary><ul>${files}</ul>`,
    "</details>\n",
  ].join("\n");
}
