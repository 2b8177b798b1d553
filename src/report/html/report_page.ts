/**
 * The report of a run as one page that needs no network, no server and no other file. Text of servers
 * and inputs is escaped, and a policy keeps the browser from loading, sending or running anything
 * besides the page's own script and style.
 */

import { tokenSourceText } from "../model/token_source.ts";
import type { Chart } from "../../core/chart/chart.ts";
import { countText } from "../../core/chart/figure_text.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import type { PageData } from "./browser/page_data.ts";
import { chartFigure } from "./chart_figure.ts";
import { distributions } from "./distribution_charts.ts";
import { errorChart } from "./error_chart.ts";
import { pageEnd, pageHead, type PageSummary, section } from "./page_frame.ts";
import { distributionPart, timelinePart } from "./picture_parts.ts";
import {
  agreementTable,
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
import { serverFactLists } from "./server_fact_lists.ts";
import { requestChart } from "./request_chart.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { requestDetails } from "./request_details.ts";
import type { RunView } from "./run_view.ts";
import { tiles } from "./tiles.ts";
import { serverName } from "../server_info/server_info.ts";
import { timelineCharts } from "./timeline_charts.ts";
import { timeShares, timeShareSvg } from "./time_shares.ts";
import { gpuPageTables } from "./gpu_page_tables.ts";
import { htmlTable } from "./html_table.ts";
import { figureText, millisecondsText } from "../../core/chart/figure_text.ts";
import { commandBlock } from "./command_block.ts";
import { type Verdict, verdictBlock, verdictOf } from "./verdict.ts";

/** Settings of a page besides the run. */
export interface ReportPageOptions extends PageSummary {
  /** Page of the run's conversations in the folder; undefined for none. */
  readonly conversationsName?: string | undefined;
}

/** The page, in pieces. */
export function* reportPage(view: RunView, options: ReportPageOptions): Generator<string> {
  view.release?.();
  const timeline = timelineCharts(view);
  const scatter = requestChart(view);
  view.release?.();
  const spread = distributions(view);
  view.release?.();
  const failures = errorChart(view);
  const clock = [...timeline, scatter, failures].filter((chart) => chart !== undefined);
  yield pageHead(view.report.model);
  yield header(view);
  yield '<main id="main">\n';
  const verdict = verdictOf(view);
  yield verdictBlock(verdict);
  yield notes(view, verdict);
  yield gatesTable(view);
  yield '<h2 class="unseen">Headline numbers</h2>\n';
  yield tiles(view);
  yield section("Over time", "timeline", timelinePart(timeline));
  yield section(
    "Distributions",
    "distributions",
    spread.map(distributionPart).join("") || absent("No request succeeded"),
  );
  const models = modelsTable(view.report);
  if (models !== "") yield section("Models", "models", models);
  const turns = turnsTable(view.report);
  if (turns !== "") {
    yield section("Turns of sessions", "turns", turns + conversationsLink(options));
  }
  yield section("Every request", "requests", scatterPart(scatter));
  yield section("Where time goes", "time", timePart(view));
  yield section("Errors", "errors", errorsPart(view, failures));
  yield section("Server", "server", serverPart(view));
  yield section(
    "All metrics",
    "metrics",
    `${itlDialectsTable(view.report)}<details><summary>The whole table</summary>` +
      `${metricsTable(view)}</details>`,
  );
  yield section("Reproduce", "plan", planPart(view));
  yield "</main>\n";
  const data: PageData = {
    charts: [
      ...clock.map((chart) => chart === scatter ? withoutPoints(chart) : chart),
      ...spread.flatMap(({ linear, log }) => [...linear, ...log]),
    ],
    clock: clock.map(({ id }) => id),
    requests: requestDetails(view),
  };
  yield* pageEnd(data, options);
}

/** Points are drawn from the requests, which are in the page anyway. */
function withoutPoints(chart: Chart): Chart {
  return {
    ...chart,
    series: chart.series.map((series) => ({ ...series, x: [], y: [], radii: [] })),
  };
}

function header({ report, phases, source }: RunView): string {
  const { startEpochNs, endEpochNs, inputConfig } = report;
  const endpoint = inputConfig["endpoint"] as { urls?: string[]; streaming?: boolean } | undefined;
  const started = new Date(Number(startEpochNs / 1_000_000n)).toISOString().slice(0, 19);
  const seconds = Number(endEpochNs - startEpochNs) / 1e9;
  const what = [
    ...(endpoint?.urls ?? []),
    ...report.servers.flatMap((server) => serverName(server) ?? []),
    `${report.endpointType}, ${endpoint?.streaming === true ? "streaming" : "not streaming"}`,
    `${started.replace("T", " ")} UTC`,
    ...(source === undefined ? [] : [`measured by ${source}`]),
    `${figureText(seconds)} s${phases.length > 1 ? " after warm-up" : ""}`,
  ];
  return [
    '<a class="skip" href="#main">To the results</a>',
    `<header><div><h1>${escapedMarkup(report.model || report.endpointType)}</h1>`,
    `<p class="soft">${what.map(escapedMarkup).join(" &middot; ")}</p>${tagList(report)}</div>`,
    '<div class="buttons">',
    '<button id="theme" type="button" hidden>Light / dark</button>',
    '<button id="copy" type="button" hidden>Copy command</button>',
    '<button id="download" type="button" hidden>Download JSON</button>',
    '</div></header>\n<div id="announcements" class="unseen" role="status"></div>\n',
  ].join("");
}

/** The user's labels. */
function tagList({ tags }: ProfileReport): string {
  if (tags.length === 0) return "";
  const texts = tags.map(([name, value]) => escapedMarkup(`${name}=${value}`));
  return `<p class="soft" id="tags">${texts.join(" &middot; ")}</p>`;
}

/** Returns the notes for readers in addition to the verdict. */
function notes({ report }: RunView, { sentence, reasons }: Verdict): string {
  const others = report.notes.filter((note) => note !== sentence && !reasons.includes(note));
  if (others.length === 0) return "";
  const items = others.map((note) => `<li>${escapedMarkup(note)}</li>`).join("");
  return `<ul class="soft">${items}</ul>\n`;
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
    `<p>Mean of all valid requests, by the ${share.side}</p></figcaption>` +
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

function serverPart(view: RunView): string {
  const { report } = view;
  return serverTables(view) + gpuPageTables(report) + agreementTable(report) +
    serverFactLists(report);
}

function planPart(view: RunView): string {
  const { report, environment, keepsRecords, source } = view;
  const again = keepsRecords
    ? "Regenerate these files with inferometer report."
    : "These files cannot be regenerated: records were not kept (--no-records).";
  return [
    "<h3>The command</h3>",
    commandBlock(report.cliCommand),
    source === undefined
      ? `<p class="soft">The seed ${report.seed} repeats prompts, lengths and arrivals. ${again}</p>`
      : `<p class="soft">The files are those of ${
        escapedMarkup(source)
      }; inferometer report made ` +
        "this page of them.</p>",
    "<h3>Environment</h3>",
    factList([
      ["tokenizer", report.tokenizer] as const,
      [
        "tokens counted by",
        report.tokenSource === undefined
          ? ""
          : tokenSourceText(report.tokenSource, report.tokenizer),
      ] as const,
      ["benchmark id", report.benchmarkId] as const,
      ...environment,
    ].filter(([, value]) => value !== "")),
    "<h3>Plan</h3>",
    `<details><summary>All settings</summary>${factList(settingFacts(report))}</details>`,
    `<h3>Files</h3><details><summary>${
      countText(report.files.length)
    } files next to this page</summary><ul>`,
    ...report.files.map((name) => `<li>${escapedMarkup(name)}</li>`),
    "</ul></details>\n",
  ].join("\n");
}
