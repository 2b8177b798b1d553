/**
 * The report of several runs as one page, like that of a run: nothing is loaded, and nothing of it
 * runs. Each point leads to the report of its runs.
 */

import { commandBlock } from "./command_block.ts";
import type { Chart, ChartSeries } from "../../core/chart/chart.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { figureText } from "../../core/chart/figure_text.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import { artifactNames } from "../export/artifact_names.ts";
import { failedRequests, meanOf, type PointResults, windowText } from "../sweep/point_results.ts";
import type { SearchResults } from "../sweep/search_results.ts";
import { type JudgedPoint, judgedPoints } from "../sweep/judged_points.ts";
import { placeText, verdictText } from "../sweep/point_texts.ts";
import { sweepFront } from "../sweep/sweep_front.ts";
import { SHAPE_TITLES } from "../sweep/sweep_layout.ts";
import { type SweepResults, sweptModel } from "../sweep/sweep_results.ts";
import { chartFigure } from "./chart_figure.ts";
import { htmlTable } from "./html_table.ts";
import { pageHead, section } from "./page_frame.ts";

/** Chart of throughput against a metric that should be small. */
interface Trade {
  readonly id: string;
  readonly key: string;
  readonly label: string;
}

const TRADES: readonly Trade[] = [
  { id: "throughput-ttft", key: "time_to_first_token_p99", label: "TTFT p99" },
  { id: "throughput-itl", key: "inter_token_latency_avg", label: "ITL avg" },
  { id: "throughput-latency", key: "request_latency_p99", label: "latency p99" },
];
/** Factor by which the axes of a chart exceed its points. */
const ROOM = 1.05;
const TOKENS = "output_token_throughput_avg";
const REQUESTS = "request_throughput_avg";

/** Columns of the table: head and statistic. */
const COLUMNS = [
  ["requests/s", REQUESTS],
  ["tokens/s", TOKENS],
  ["tokens/s/user", "interactivity_avg"],
  ["TTFT p50 ms", "time_to_first_token_p50"],
  ["TTFT p99 ms", "time_to_first_token_p99"],
  ["ITL avg ms", "inter_token_latency_avg"],
  ["ITL p99 ms", "inter_token_latency_p99"],
  ["latency p99 ms", "request_latency_p99"],
] as const;

/** Columns of speculative decoding: head and value of a point. */
const DRAFT_COLUMNS: readonly (readonly [
  head: string,
  valueOf: (evidence: NonNullable<JudgedPoint["evidence"]>) => number | undefined,
])[] = [
  [
    "accepted %",
    ({ acceptanceRate }) => acceptanceRate === undefined ? undefined : acceptanceRate * 100,
  ],
  ["acceptance length", ({ acceptanceLength }) => acceptanceLength],
  ["tokens/step", ({ tokensPerStep }) => tokensPerStep],
];

/** The page, in pieces. */
export function* sweepPage(
  results: SweepResults,
  search: SearchResults | undefined,
): Generator<string> {
  const { manifest, points } = results;
  const done = points.filter(({ successful }) => successful.length > 0);
  const title = SHAPE_TITLES[manifest.shape.kind];
  const model = sweptModel(results);
  yield pageHead(`${model === "" ? "" : `${model} - `}${title}`, { hasScript: false });
  yield [
    '<a class="skip" href="#main">To the results</a>',
    `<header><div><h1>${escapedMarkup(model || title)}</h1>`,
    `<p class="soft">${title} &middot; ${done.length} of ${points.length} points`,
    ` &middot; ${escapedMarkup(windowText(points))}`,
    `${
      manifest.isComplete ? "" : " &middot; partial: not all runs completed"
    }</p></div></header>\n`,
    '<main id="main">\n',
  ].join("");
  if (search !== undefined) yield answerBlock(search);
  if (manifest.notes.length > 0) {
    const items = manifest.notes.map((note) => `<li>${escapedMarkup(note)}</li>`).join("");
    yield `<ul class="soft">${items}</ul>\n`;
  }
  yield section("Throughput and latency", "pictures", pictures(done));
  yield section("Points", "points", pointsTable(results));
  if (manifest.shape.trials > 1) yield section("Over the runs of a point", "spread", spread(done));
  yield section(
    "Reproduce",
    "plan",
    `<h3>The command</h3>${commandBlock(manifest.command)}`,
  );
  yield "</main>\n</body>\n</html>\n";
}

function answerBlock({ plan, answer, objectives }: SearchResults): string {
  const unit = plan.variable === "concurrency" ? "in flight" : "requests/s";
  const found = answer.answer === undefined
    ? `Not even ${figureText(plan.min)} ${unit} meet the objectives`
    : `${answer.atLeast ? "At least " : ""}${figureText(answer.answer)} ${unit}`;
  const limit = answer.limit === undefined
    ? "nothing larger was missed"
    : `${figureText(answer.limit)} misses, limited by ${
      answer.limitedBy === "client" ? "the client's own error" : answer.limitedBy
    }`;
  return section(
    "Answer",
    "answer",
    `<p><strong>${escapedMarkup(found)}</strong>; ${escapedMarkup(limit)}; ${
      answer.isProven ? "proven" : "not proven"
    }.</p>\n` + htmlTable({
      head: ["objective", "wanted", "found", "95 % interval"],
      rows: objectives.map(({ gate, interval }) => [
        gate.name,
        gate.condition,
        gate.found,
        interval === undefined
          ? "-"
          : `${figureText(interval[0])} to ${figureText(interval[1])} ${gate.unit}`,
      ]),
      textColumns: [1, 2, 3],
    }),
  );
}

function pictures(points: readonly PointResults[]): string {
  const charts = sweepCharts(points);
  if (charts.length === 0) return "<p>No point has a result.</p>\n";
  return charts.map((chart) => chartFigure(chart, "wide")).join("");
}

/** Returns the charts of a sweep for which its points have values. */
export function sweepCharts(points: readonly PointResults[]): Chart[] {
  const isStreamed = points.some((point) => meanOf(point, TRADES[0]?.key ?? "") !== undefined);
  return TRADES.filter(({ id }) => isStreamed !== (id === "throughput-latency"))
    .flatMap((trade) => tradeChart(points, trade) ?? []);
}

/** Point of a chart. */
interface Placed {
  readonly result: PointResults;
  readonly x: number;
  readonly y: number;
}

/** Throughput against a latency, those on the front joined by a line. */
function tradeChart(
  points: readonly PointResults[],
  { id, key, label }: Trade,
): Chart | undefined {
  const gain = points.some((point) => meanOf(point, TOKENS) !== undefined) ? TOKENS : REQUESTS;
  const placed = points.flatMap((result): Placed[] => {
    const [x, y] = [meanOf(result, key), meanOf(result, gain)];
    return x === undefined || y === undefined ? [] : [{ result, x, y }];
  }).sort((a, b) => a.x - b.x);
  const [first] = placed;
  if (first === undefined) return undefined;
  const optimal = sweepFront(points).points;
  const best = placed.filter(({ result }) => optimal.has(result));
  const others = placed.filter(({ result }) => !optimal.has(result));
  const unit = gain === TOKENS ? "tokens/s" : "requests/s";
  const most = best.at(-1) ?? first;
  return {
    id,
    title:
      `${most.result.point.label || "The plan"} gives the most, ${figureText(most.y)} ${unit} ` +
      `at ${label} ${figureText(most.x)} ms`,
    caption: `Throughput against ${label}, a mark for each point; up and to the left is better`,
    // Marks at the edge are to be seen whole.
    x: { label, unit: "ms", scale: "linear", min: 0, max: ROOM * (placed.at(-1) ?? first).x },
    y: {
      label: "throughput",
      unit,
      scale: "linear",
      min: 0,
      max: ROOM * Math.max(...placed.map(({ y }) => y)),
    },
    series: tradeSeries(best, others),
    marks: [],
    spans: [],
  };
}

/** Returns the points on the Pareto front, the line that joins them, and the dominated points. */
function tradeSeries(best: readonly Placed[], others: readonly Placed[]): ChartSeries[] {
  const pointsOf = (of: readonly Placed[]): Pick<ChartSeries, "x" | "y" | "radii"> => ({
    x: of.map(({ x }) => x),
    y: of.map(({ y }) => y),
    radii: of.map(() => 4),
  });
  return [
    ...(best.length > 1
      ? [
        {
          label: "Pareto front",
          color: "blue",
          shape: "line",
          x: best.map(({ x }) => x),
          y: best.map(({ y }) => y),
        } as const,
      ]
      : []),
    { label: "on the front", color: "blue", shape: "points", ...pointsOf(best) },
    ...(others.length > 0
      ? [
        {
          label: "beaten",
          color: "grey",
          shape: "points",
          ...pointsOf(others),
        } as const,
      ]
      : []),
  ];
}

function pointsTable({ manifest, points }: SweepResults): string {
  const names = Object.keys(points[0]?.point.values ?? {});
  const columns = COLUMNS.filter(([, key]) =>
    points.some((point) => meanOf(point, key) !== undefined)
  );
  const page = artifactNames(manifest.prefix).page;
  const judged = judgedPoints(points);
  const drafts = DRAFT_COLUMNS.filter(([, valueOf]) =>
    judged.some(({ evidence = {} }) => valueOf(evidence) !== undefined)
  );
  const heads = [
    ...[...names, ...columns.map(([head]) => head), ...drafts.map(([head]) => head)],
    ...["failed", "verdict", "", "runs"],
  ];
  const rows = judged.map(({ evidence = {}, isKnee, isOnFront, result: point, verdict }) => {
    const links = point.runs.map(({ folder }, index) =>
      `<a href="${escapedMarkup(encodeURI(`${folder}/${page}`).replaceAll("#", "%23"))}">` +
      `${point.runs.length === 1 ? "report" : `run ${index + 1}`}</a>`
    );
    const cells = [
      ...names.map((name) => `<th scope="row">${point.point.values[name]}</th>`),
      ...columns.map(([, key]) => {
        const mean = meanOf(point, key);
        return `<td>${mean === undefined ? "-" : figureText(mean)}</td>`;
      }),
      ...drafts.map(([, valueOf]) => {
        const value = valueOf(evidence);
        return `<td>${value === undefined ? "-" : figureText(value)}</td>`;
      }),
      `<td>${failedRequests(point)}</td>`,
      `<td class="text">${escapedMarkup(verdict === undefined ? "-" : verdictText(verdict))}</td>`,
      `<td class="text">${placeText({ isKnee, isOnFront })}</td>`,
      `<td class="text">${links.join(" ") || "not made"}</td>`,
    ];
    const label = Object.values(point.point.values).join(" / ");
    return `<tr data-front="${isOnFront}" data-label="${escapedMarkup(label)}">${
      cells.join("")
    }</tr>`;
  });
  return [
    '<div class="scroll" tabindex="0"><table><thead><tr>',
    ...heads.map((head) => `<th scope="col">${escapedMarkup(head)}</th>`),
    `</tr></thead><tbody>${rows.join("")}</tbody></table></div>\n`,
  ].join("");
}

/** Returns mean and confidence interval of the main metrics of each point. */
function spread(points: readonly PointResults[]): string {
  return htmlTable({
    head: ["point", "figure", "mean", "interval", "CV %", "min", "max"],
    rows: points.flatMap((point) =>
      COLUMNS.flatMap(([head, key]) => {
        const figure = point.shown.get(key);
        if (figure === undefined) return [];
        const { mean, cv, min, max, sampling } = figure;
        return [[
          point.point.label || "all runs",
          head,
          figureText(mean),
          sampling === undefined || sampling.upper >= UNBOUNDED
            ? ""
            : `${figureText(sampling.lower)} to ${figureText(sampling.upper)}`,
          figureText(cv * 100),
          figureText(min),
          figureText(max),
        ]];
      })
    ),
    textColumns: [1],
  });
}
