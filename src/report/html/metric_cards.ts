/** Table of the main metrics: each statistic with its mark, its interval and its client error. */

import { figureText, millisecondsText } from "../../core/chart/figure_text.ts";
import { element, escapedMarkup, shortNumber } from "../../core/chart/markup.ts";
import { upperBound } from "../../core/statistics/search_sorted.ts";
import { valueOf } from "../../measurement/metrics/metric_results.ts";
import type { RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import {
  BOUNDED_STATISTICS,
  type BoundedStatistic,
} from "../../measurement/own_error/bounded_statistics.ts";
import {
  clientBoundText,
  type MetricCell,
  type MetricRow,
  metricRows,
} from "../console/metric_rows.ts";
import { runValidity } from "../model/run_validity.ts";
import { shownWindow } from "../model/shown_window.ts";
import { steadyResults } from "../model/steady_state.ts";
import { countsBetween } from "./distribution_charts.ts";
import { shareText } from "./findings.ts";
import { limitOf, objectiveOf } from "./objective_of.ts";
import type { RunView } from "./run_view.ts";
import { unbroken } from "./unbroken.ts";
import { mark, type MarkName, markOf, outcomeMark } from "./verdict_mark.ts";
import { windowValues } from "./window_values.ts";

const DISTRIBUTED: readonly RecordMetricTag[] = [
  "time_to_first_token",
  "inter_token_latency",
  "request_latency",
];
const BINS = { count: 34, width: 210, height: 46, base: 40 } as const;
/** Milliseconds from which values are in seconds. */
const SECONDS_FROM_MS = 10_000;

/** Finding of the table: how many statistics are valid. */
export function metricsTitle({ report }: RunView): string {
  const { of, proven } = runValidity(shownWindow(report));
  if (of === 0) return "Metrics";
  return proven === of
    ? `All ${of} statistics are proven`
    : `${proven} of ${of} statistics are proven; the others show why not`;
}

/** The table; a sentence if no request succeeded. */
export function metricCards(view: RunView): string {
  const { report } = view;
  const rows = metricRows(shownWindow(report));
  if (rows.length === 0) return "<p>No request succeeded.</p>\n";
  const statistics = BOUNDED_STATISTICS.filter((name) => rows.some(({ cells }) => name in cells));
  const heads = statistics.map((name) => `<th scope="col">${name === "avg" ? "mean" : name}</th>`);
  return [
    `<p class="lead">${escapedMarkup(windowText(view))} ± is the 95 % confidence interval, ` +
    "client is an upper bound of this client's own error.</p>\n",
    '<div class="scroll" tabindex="0" role="region" aria-label="Main metrics"><table class="cards">',
    '<thead><tr><th scope="col">metric</th>',
    '<th scope="col" class="bins">distribution, ▲ p50 and p99</th>',
    ...heads,
    '<th scope="col" class="text">objective</th><th scope="col" class="text">verdict</th>',
    "</tr></thead><tbody>",
    ...rows.map((row) => rowMarkup(view, row, statistics)),
    "</tbody></table></div>\n",
    costText(view),
    legend(rows),
  ].join("");
}

/** Bounds of the window: `Steady window, 8.51 to 44.9 s, 177 requests.` */
function windowText({ report }: RunView): string {
  const shown = shownWindow(report);
  const count = Math.max(
    0,
    ...metricRows(shown).map(({ tag }) => {
      const result = shown.results.get(tag);
      return result !== undefined && "summary" in result ? result.summary.count : 0;
    }),
  );
  const requests = `${count.toLocaleString("en-US")} requests.`;
  const steady = steadyResults(report.steady);
  if (shown.name === "steady" && steady !== undefined) {
    const at = (epochNs: bigint) => (Number(epochNs - report.startEpochNs) / 1e9).toFixed(1);
    return unbroken(
      `Steady window, ${at(steady.startEpochNs)} to ${at(steady.endEpochNs)} s, ${requests}`,
    );
  }
  const why = report.isWholeRunShown === true
    ? "The whole run, as requested"
    : report.steady !== undefined && "none" in report.steady
    ? `The whole run, because no steady state was found: ${report.steady.none}`
    : "The whole run";
  return unbroken(`${why}; ${requests}`);
}

function rowMarkup(
  view: RunView,
  row: MetricRow,
  statistics: readonly BoundedStatistic[],
): string {
  const { cells, label, meaning, unit } = row;
  const inSeconds = unit === "ms" &&
    Object.values(cells).some(({ value }) => value >= SECONDS_FROM_MS);
  const shownUnit = inSeconds ? "s" : unit;
  const name = label.charAt(0).toUpperCase() + label.slice(1);
  return [
    `<tr><th scope="row">${name}${
      shownUnit === "" ? "" : ` <span class="unit">${shownUnit}</span>`
    }`,
    `<small>${meaning}</small></th>`,
    `<td class="bins">${binsOf(view, row)}</td>`,
    ...statistics.map((name) => {
      const cell = cells[name];
      return cell === undefined ? "<td></td>" : `<td>${cellMarkup(cell, name, inSeconds)}</td>`;
    }),
    `<td class="text">${objectivesOf(view, row)}</td>`,
    `<td class="text">${verdictOf(row)}</td></tr>`,
  ].join("");
}

function cellMarkup(cell: MetricCell, name: BoundedStatistic, inSeconds: boolean): string {
  const { clientShare, spread, value, verdict } = cell;
  const icon = verdict === undefined || verdict === "valid" ? "" : mark(markOf(verdict));
  const notes = [
    ...(spread === "" ? [] : [spread === "?" ? "± not bounded" : `±${spread}`]),
    ...(clientShare === undefined
      ? []
      : [clientShare > 1 ? "client error unknown" : `client ${clientBoundText(clientShare)}`]),
  ];
  return `<span class="label unit">${name === "avg" ? "mean" : name}</span>` +
    `<span class="big">${figureText(inSeconds ? value / 1e3 : value)}</span>${icon}` +
    notes.map((text) => `<small>${escapedMarkup(unbroken(text))}</small>`).join("");
}

/** A small histogram with the limit, where one is set. */
function binsOf(view: RunView, { cells, tag }: MetricRow): string {
  const known = DISTRIBUTED.find((one) => one === tag);
  if (known === undefined) return "";
  const sorted = windowValues(view, known);
  if (sorted.length < 2) return "";
  // Few extreme values would press all others into one bin.
  const most = sorted[Math.floor((sorted.length - 1) * 0.995)] as number * 1.03;
  const least = sorted[0] as number;
  // Zero is the base unless all values are far from it.
  const low = least > most / 2 ? least - (most - least) * 0.2 : 0;
  const range = most - low || 1;
  const edges = Array.from({ length: BINS.count + 1 }, (_, bin) => low + bin / BINS.count * range);
  const counts = countsBetween(edges, sorted.subarray(0, upperBound(sorted, most)));
  const x = (value: number): number => Math.min(BINS.width, (value - low) / range * BINS.width);
  const tallest = Math.max(...counts);
  const bars = counts.map((count, bin) => {
    if (count <= 0) return "";
    const height = Math.max(1.2, count / tallest * (BINS.base - 2));
    const [left, right] = [x(edges[bin] as number), x(edges[bin + 1] as number)];
    return `M${shortNumber(left)} ${BINS.base}v${shortNumber(-height)}H${
      shortNumber(right - 0.6)
    }V${BINS.base}Z`;
  });
  const ticks = [cells.p50, cells.p99].flatMap((cell) =>
    cell === undefined ? [] : [`M${shortNumber(x(cell.value))} ${BINS.base + 1}l-3.5 5h7Z`]
  );
  const limit = limitOf(view.report, tag);
  const over = limit === undefined || limit <= low || limit >= most ? "" : element("rect", {
    ...{ x: x(limit), y: 0, width: BINS.width - x(limit), height: BINS.base },
    ...{ fill: "var(--bad)", opacity: 0.14 },
  });
  return element(
    "svg",
    { viewBox: `0 0 ${BINS.width} ${BINS.height}`, "aria-hidden": "true" },
    over + element("path", { d: bars.join(""), fill: "var(--client)" }) +
      element("path", { d: ticks.join(""), fill: "var(--ink)" }),
  );
}

function objectivesOf(view: RunView, { tag }: MetricRow): string {
  const { report } = view;
  const gates = report.gates.filter(({ figures }) => figures["metric"] === tag).map((gate) =>
    `<div>${outcomeMark(gate, true)}<small>${
      escapedMarkup(unbroken(`${gate.name} ${gate.condition}`))
    }</small></div>`
  );
  const limit = objectiveOf(report, tag);
  const known = DISTRIBUTED.find((one) => one === tag);
  if (limit === undefined || known === undefined) return gates.join("");
  const sorted = windowValues(view, known);
  const share = sorted.length === 0 ? 0 : upperBound(sorted, limit) / sorted.length;
  return gates.join("") +
    `<small>${
      escapedMarkup(unbroken(`${shareText(share)} of requests within ${millisecondsText(limit)}`))
    }</small>`;
}

/** The verdicts of a row, each with its reasons and the statistics that they hold for. */
function verdictOf({ cells }: MetricRow): string {
  const judged = Object.entries(cells).filter(([, { verdict }]) => verdict !== undefined);
  const open = judged.filter(([, { verdict }]) => verdict !== "valid");
  if (judged.length === 0) return "";
  if (open.length === 0) return mark("valid", { isShown: true });
  const isOne = Object.keys(cells).length === 1;
  return [...Map.groupBy(open, ([, { verdict }]) => verdict)].map(([verdict, group]) => {
    const reasons = [...Map.groupBy(group, ([, { reason }]) => reason)].map(([reason, of]) => {
      const names = of.map(([name]) => name === "avg" ? "mean" : name).join(", ");
      return `<small>${escapedMarkup(isOne ? reason : `${names}: ${reason}`)}</small>`;
    });
    return `<div>${mark(markOf(verdict ?? "valid"), { isShown: true })}${reasons.join("")}</div>`;
  }).join("");
}

/** Cost by the user's price; empty without one. */
function costText({ report: { results } }: RunView): string {
  const perToken = valueOf(results, "cost_per_million_output_tokens");
  const perRequest = valueOf(results, "cost_per_request");
  const texts = [
    ...(perToken === undefined ? [] : [`${figureText(perToken)} per million output tokens`]),
    ...(perRequest === undefined ? [] : [`${figureText(perRequest)} per request`]),
  ];
  return texts.length === 0 ? "" : `<p class="lead">Cost: ${texts.join(", ")}.</p>\n`;
}

/** Meaning of the marks that occur. */
function legend(rows: readonly MetricRow[]): string {
  const texts: readonly (readonly [MarkName, string])[] = [
    ["valid", "client error at most 5 %, confidence interval within ±10 %"],
    ["suspect", "client error 5 to 20 %"],
    ["unproven", "too few or too uneven samples, or no client error"],
    ["invalid", "client error above 20 %"],
  ];
  const seen = new Set(
    rows.flatMap(({ cells }) =>
      Object.values(cells).flatMap(({ verdict }) => verdict === undefined ? [] : markOf(verdict))
    ),
  );
  const items = texts.filter(([name]) => seen.has(name)).map(([name, text]) =>
    `<li>${mark(name, { isShown: true })} ${unbroken(text)}</li>`
  );
  return items.length === 0 ? "" : `<ul class="keys">${items.join("")}</ul>\n`;
}
