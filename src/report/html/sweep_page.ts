/**
 * The report of several runs as one page, like that of a run: nothing is loaded, and only its own
 * script runs. Each point leads to the report of its runs.
 */

import { figureText } from "../../core/chart/figure_text.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import type { PointPlot } from "../../core/chart/point_plot.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { artifactNames } from "../export/artifact_names.ts";
import { timeParts } from "../model/time_parts.ts";
import { type JudgedPoint, judgedPoints } from "../sweep/judged_points.ts";
import { isLoad } from "../sweep/load_parameters.ts";
import type { MissedObjectives, TtftLimit } from "../sweep/point_objectives.ts";
import { meanOf, type PointResults, windowText } from "../sweep/point_results.ts";
import { axisName, frontText } from "../sweep/point_texts.ts";
import { searchedUnit, type SearchResults } from "../sweep/search_results.ts";
import { type SweepFront, sweepFront } from "../sweep/sweep_front.ts";
import { sessionColumns, sessionText } from "../sweep/session_columns.ts";
import { SHAPE_TITLES } from "../sweep/sweep_layout.ts";
import { type SweepResults, sweptGpus, sweptModel } from "../sweep/sweep_results.ts";
import { commandBlock } from "./command_block.ts";
import { htmlTable } from "./html_table.ts";
import { PART_COLORS, PART_ORDER } from "./part_colors.ts";
import {
  answerPart,
  type Fact,
  headPart,
  pageBar,
  pageEnd,
  pageHead,
  section,
} from "./page_frame.ts";
import { PLOT_KEYS, plotKey, plotPart } from "./plot_part.ts";
import { limitOf, parameterList, parameterNames, pointLabel } from "../sweep/point_values.ts";
import { sweepFinding, sweepTitle, timeTitle, ttftTitle } from "../sweep/sweep_finding.ts";
import assets from "./sweep_page_assets.json" with { type: "json" };
import {
  answerPlots,
  frontierPlot,
  parameterPlots,
  sessionPlots,
  timePlot,
  ttftPlot,
} from "./sweep_plots.ts";
import { sweepTable } from "./sweep_table.ts";
import { unbroken } from "./unbroken.ts";
import { markShapes } from "./verdict_mark.ts";

/** Outcomes of objectives, for the page. */
export interface SweepObjectives {
  readonly missed: ReadonlyMap<PointResults, MissedObjectives>;
  /** Limit of TTFT p99; undefined for none. */
  readonly limit: TtftLimit | undefined;
}

const NO_OBJECTIVES: SweepObjectives = { missed: new Map(), limit: undefined };

/** Statistics of the table over the runs of a point: head and key. */
const SPREAD = [
  ["requests/s", "request_throughput_avg"],
  ["tokens/s", "output_token_throughput_avg"],
  ["tokens/s/user", "interactivity_avg"],
  ["TTFT p50 ms", "time_to_first_token_p50"],
  ["TTFT p99 ms", "time_to_first_token_p99"],
  ["ITL avg ms", "inter_token_latency_avg"],
  ["ITL p99 ms", "inter_token_latency_p99"],
  ["latency p99 ms", "request_latency_p99"],
  ["session p50 s", "session_duration_p50"],
  ["session p95 s", "session_duration_p95"],
  ["jobs/h", "jobs_per_hour_avg"],
] as const;

/** The page, in pieces. */
export function* sweepPage(
  results: SweepResults,
  search: SearchResults | undefined,
  { limit, missed }: SweepObjectives = NO_OBJECTIVES,
): Generator<string> {
  const { manifest, points } = results;
  const judged = judgedPoints(points);
  const done = judged.filter(({ result }) => result.successful.length > 0);
  const front = sweepFront(points);
  const kind = manifest.shape.kind;
  const model = sweptModel(results);
  yield pageHead(`${model === "" ? "" : `${model} - `}${SHAPE_TITLES[kind]}`, { assets });
  yield markShapes() + pageBar(SHAPE_TITLES[kind], [
    ["theme", "Light / dark"],
    ["copy", "Copy command"],
  ]);
  yield `<main id="main">\n${PLOT_KEYS}`;
  yield head(results, judged);
  yield search === undefined ? findingPart(done, front) : answerBlock(search);
  const plots = {
    frontier: frontierPlot(done, front),
    ttft: ttftPlot(done, front, limit),
    time: timePlot(done),
    parameters: kind === "runs" ? [] : parameterPlots(done, front, limit),
    answers: kind === "runs" ? [] : answerPlots(done),
    sessions: kind === "runs" ? [] : sessionPlots(done),
  };
  if (plots.frontier !== undefined && kind !== "runs") {
    yield section(
      frontierTitle(done),
      "frontier",
      frontierPart(done, front) +
        plotPart(plots.frontier),
    );
  }
  if (plots.ttft !== undefined && kind !== "runs") {
    const lead = "Same points; up and to the left is better" +
      (limit === undefined ? "." : "; grey is beyond the objective.");
    yield section(
      escapedMarkup(unbroken(ttftTitle(done, limit))),
      "ttft",
      `<p class="lead">${lead}</p>${plotPart(plots.ttft)}`,
    );
  }
  if (plots.time !== undefined) {
    yield section(
      escapedMarkup(unbroken(timeTitle(done))),
      "time",
      `<p class="lead">Mean time of a request${
        kind === "runs" ? "" : `, by ${escapedMarkup(parameterList(done))}`
      }.</p>${timeKey(done)}${plotPart(plots.time)}`,
    );
  }
  const by = Object.keys(done[0]?.settings ?? {}).some(isLoad)
    ? "load"
    : escapedMarkup(parameterNames(done));
  if (plots.parameters.length > 0) {
    yield section(`By ${by}`, "by-load", smallPlots(plots.parameters));
  }
  if (plots.answers.length > 0) {
    yield section(
      `Answers by ${by}`,
      "answers",
      `<p class="lead">Shares over whole runs. Drift: answers that differ under load, beyond those that differ without load.</p>${
        smallPlots(plots.answers)
      }`,
    );
  }
  yield sessionsPart(done, plots.sessions, kind === "runs" ? "Sessions" : `Sessions by ${by}`);
  yield section(
    "Every point, and what limits it",
    "points",
    sweepTable(judged, missed, artifactNames(manifest.prefix).page) +
      `<p class="soft">${escapedMarkup(windowText(points))}${
        escapedMarkup(frontText(front))
      }. Knee: the smallest load whose throughput is within 5 % of the best, or inside the joint 95 % interval of both.</p>`,
  );
  if (manifest.shape.trials > 1) {
    yield section("Over the runs of a point", "spread", spread(done.map(({ result }) => result)));
  }
  yield section("Reproduce", "plan", `<h3>The command</h3>${commandBlock(manifest.command)}`);
  yield "</main>\n";
  const { answers, frontier, parameters, sessions, time, ttft } = plots;
  yield* pageEnd(
    [frontier, ttft, time, ...parameters, ...answers, ...sessions]
      .filter((plot) => plot !== undefined),
    undefined,
    assets,
  );
}

/** The sessions of the points, as plots and as a table; empty where each session is one request. */
function sessionsPart(
  points: readonly JudgedPoint[],
  plots: readonly PointPlot[],
  title: string,
): string {
  const results = points.map(({ result }) => result);
  const columns = sessionColumns(results);
  if (columns.length === 0) return "";
  const table = htmlTable({
    head: ["point", ...columns.map(({ head }) => head)],
    rows: results.map((point) => [
      point.point.label || "all runs",
      ...columns.map((column) => sessionText(point, column)),
    ]),
  });
  const lead =
    "Sessions of whole runs. A job is a completed session; hit share: cache hits of the " +
    "ideal ones. In brackets: 95 % intervals.";
  return section(title, "sessions", `<p class="lead">${lead}</p>${smallPlots(plots)}${table}`);
}

function smallPlots(plots: readonly PointPlot[]): string {
  const parts = plots.map((plot) => plotPart(plot, "third"));
  return `<div class="three-plots">${parts.join("")}</div>`;
}

/** Title, facts, and notes. */
function head(results: SweepResults, points: readonly JudgedPoint[]): string {
  const { manifest } = results;
  const done = points.filter(({ result }) => result.successful.length > 0);
  const model = sweptModel(results);
  const title = manifest.shape.kind === "sweep" ? sweepTitle(points) : capital(
    SHAPE_TITLES[manifest.shape.kind],
  );
  const gpus = sweptGpus(results);
  const facts: Fact[] = [
    ["Model", model || "not known", model !== ""],
    ["Points", `${done.length} of ${points.length} with a result`],
    ...(manifest.shape.trials > 1
      ? [["Runs", `${manifest.shape.trials} for each point`] as const]
      : []),
    ...tokenFacts(done, "Prompt", "input_sequence_length_avg"),
    ...tokenFacts(done, "Reply", "output_sequence_length_avg"),
    gpus === undefined ? ["GPUs", "not stated", false] : ["GPUs", String(gpus)],
  ];
  const notes = [
    ...manifest.notes,
    ...(manifest.isComplete ? [] : ["partial: not all runs completed"]),
  ];
  return headPart(unbroken(model === "" ? title : `${title}: ${model}`), facts, notes);
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function tokenFacts(
  points: readonly JudgedPoint[],
  name: string,
  key: string,
): Fact[] {
  const values = points.flatMap(({ result }) => meanOf(result, key) ?? []);
  if (values.length === 0) return [];
  const ends = [Math.min(...values), Math.max(...values)].map(figureText);
  const text = ends[0] === ends[1] ? ends[0] : ends.join(" to ");
  return [[name, `${text} tokens mean`]];
}

function findingPart(points: readonly JudgedPoint[], front: SweepFront): string {
  const { cause, subject, text } = sweepFinding(points, front);
  const say = escapedMarkup(unbroken(text));
  const named = subject === undefined ? "" : escapedMarkup(unbroken(subject));
  return answerPart(
    "Finding",
    named === "" ? say : say.replace(named, `<span class="is-good">${named}</span>`),
    cause === "" ? "" : `${escapedMarkup(unbroken(cause))}.`,
  );
}

function frontierTitle(points: readonly JudgedPoint[]): string {
  const front = points.filter(({ isOnFront }) => isOnFront);
  return escapedMarkup(
    front.length === points.length
      ? "Every point is on the frontier"
      : `${front.map(pointLabel).join(", ")} ${front.length === 1 ? "is" : "are"} on the frontier`,
  );
}

function frontierPart(points: readonly JudgedPoint[], { axes }: SweepFront): string {
  const names = parameterList(points);
  const isTokens = axes?.gain.key !== "request_throughput_avg";
  const lead = `Each mark is a point, labelled with its ${names}. Lines: 95 % intervals. Hollow: ` +
    "not proven or invalid, see the table." +
    (isTokens ? " Output tokens only; prompt tokens are not counted." : "") +
    (axes === undefined
      ? ""
      : ` The line joins the points that no other beats in ${axisName(axes.gain.key)} and ${
        axisName(axes.other.key)
      }.`);
  const limits = new Map(points.map((point) => {
    const { color, name } = limitOf(point);
    return [name, [color, "circle", name] as const];
  }));
  return `<p class="lead">${escapedMarkup(lead)}</p>${plotKey(limits.values())}`;
}

/** The parts that the bars have, in the order in which they happen. */
function timeKey(points: readonly JudgedPoint[]): string {
  const names = new Set(
    points.flatMap(({ evidence = {} }) => timeParts(evidence).map(({ name }) => name)),
  );
  return plotKey(
    PART_ORDER.filter((name) => names.has(name))
      .map((name) => [PART_COLORS[name], "square", name] as const),
  );
}

function answerBlock(search: SearchResults): string {
  const { answer, objectives, plan } = search;
  const unit = searchedUnit(search);
  const found = answer.answer === undefined
    ? `Not even ${figureText(plan.min)} ${unit} meet the objectives`
    : `${answer.atLeast ? "At least " : ""}${figureText(answer.answer)} ${unit}`;
  const limit = answer.limit === undefined
    ? "nothing larger was missed"
    : `${figureText(answer.limit)} misses, limited by ${
      answer.limitedBy === "client" ? "the client's own error" : answer.limitedBy
    }`;
  return [
    answerPart(
      "Answer",
      escapedMarkup(unbroken(found)),
      `${escapedMarkup(unbroken(limit))}; ${answer.isProven ? "proven" : "not proven"}.`,
    ),
    section(
      "Objectives at the answer",
      "answer",
      htmlTable({
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
    ),
  ].join("");
}

/** Returns mean and confidence interval of the main metrics of each point. */
function spread(points: readonly PointResults[]): string {
  return htmlTable({
    head: ["point", "figure", "mean", "interval", "CV %", "min", "max"],
    rows: points.flatMap((point) =>
      SPREAD.flatMap(([head, key]) => {
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
