/** Results of several runs, as text for the terminal. */

import type { MissedObjectives } from "../sweep/point_objectives.ts";
import { failedRequests, meanOf, type PointResults, windowText } from "../sweep/point_results.ts";
import type { SearchGate } from "../sweep/search_gate.ts";
import { searchedUnit, type SearchResults } from "../sweep/search_results.ts";
import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { answerColumns } from "../sweep/answer_columns.ts";
import { judgedPoints } from "../sweep/judged_points.ts";
import { frontText, placeText, verdictText } from "../sweep/point_texts.ts";
import { sweepFront } from "../sweep/sweep_front.ts";
import { analyzeSweep, type BestPoint } from "../sweep/sweep_analysis.ts";
import { bestFinding, sweepFinding } from "../sweep/sweep_finding.ts";
import type { SweepResults } from "../sweep/sweep_results.ts";
import { threeDigits } from "../../config/gate/value_text.ts";
import { significantText, wholeNumber } from "./number_text.ts";
import { sweepSessionTable } from "./sweep_session_table.ts";
import { NOTE_LENGTH, printableText } from "./printable_text.ts";
import { renderTable, tableWidth, type TextTable } from "./text_table.ts";
import { wrapText } from "./wrap_text.ts";

/** Settings of {@linkcode campaignText}. */
export interface CampaignTextOptions {
  readonly width: number;
  /** The command's folder. */
  readonly directory: string;
  /** Whether the table of points is shown. */
  readonly showTable: boolean;
  /** Paths of combined files below the folder. */
  readonly files: readonly string[];
  /** Objectives that each point missed. */
  readonly objectives: ReadonlyMap<PointResults, MissedObjectives>;
}

/** A column of the table of points: the statistic is shown times the factor, which is 1 if missing. */
type Column = readonly [head: string, key: string, factor?: number];

/** Columns of every sweep. */
const COLUMNS: readonly Column[] = [
  ["requests/s", "request_throughput_avg"],
  ["tokens/s", "output_token_throughput_avg"],
  ["tokens/s/user", "interactivity_avg"],
  ["TTFT p50", "time_to_first_token_p50"],
  ["TTFT p99", "time_to_first_token_p99"],
  ["ITL avg", "inter_token_latency_avg"],
  ["ITL p99", "inter_token_latency_p99"],
  ["latency p99", "request_latency_p99"],
];

/** Rows of the table over the runs of one plan. */
const REPEATED = [
  ["TTFT avg", "time_to_first_token_avg", "ms"],
  ["TTFT p99", "time_to_first_token_p99", "ms"],
  ["ITL avg", "inter_token_latency_avg", "ms"],
  ["ITL p99", "inter_token_latency_p99", "ms"],
  ["latency avg", "request_latency_avg", "ms"],
  ["latency p99", "request_latency_p99", "ms"],
  ["throughput", "request_throughput_avg", "requests/s"],
  ["tokens out", "output_token_throughput_avg", "tokens/s"],
  ["interactivity", "interactivity_avg", "tokens/s/user"],
  ["session p50", "session_duration_p50", "s"],
  ["session p95", "session_duration_p95", "s"],
  ["sessions", "jobs_per_hour_avg", "jobs/h"],
] as const;

/** The table of all points, or of the runs of one; the answer of a search; the files. */
export function campaignText(
  results: SweepResults,
  search: SearchResults | undefined,
  options: CampaignTextOptions,
): string {
  const { width, directory, files } = options;
  const { kind } = results.manifest.shape;
  const blocks = [
    ...(kind === "sweep" && options.showTable
      ? [sweepTable(results, width), sweepSessionTable(results.points, width)]
      : []),
    ...(kind === "runs" ? results.points.map((point) => repeatedTable(point, width)) : []),
    ...(kind === "sweep"
      ? [
        bestLines(results).flatMap((line) => wrapText(line, width, 17)).join("\n"),
        // The answer of a search is its finding.
        ...(search === undefined
          ? [findingLines(results, options).flatMap((line) => wrapText(line, width, 8)).join("\n")]
          : []),
      ]
      : []),
    // The answer of a search says of its objectives what there is to say.
    ...(search === undefined
      ? [objectiveLines(options.objectives).flatMap((line) => wrapText(line, width, 8)).join("\n")]
      : [wrapText(searchLine(search), width, 10).join("\n")]),
    [
      ...results.manifest.notes.flatMap((note) =>
        wrapText(`note: ${printableText(note, NOTE_LENGTH)}`, width, 2)
      ),
      ...(results.manifest.isComplete ? [] : wrapText(
        `partial: continue with inferometer profile --resume ${printableText(directory, Infinity)}`,
        width,
        2,
      )),
      ...wrapText(
        `artifacts: ${printableText(directory, Infinity)}/${[...files].reverse().join(", ")}`,
        width,
        2,
      ),
    ].join("\n"),
  ];
  return `\n${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

/** The objectives that were missed, and where; one line if all were met, none if there were none. */
function objectiveLines(objectives: CampaignTextOptions["objectives"]): string[] {
  const missed = [...objectives].flatMap(([{ point: { label } }, gates = []]) =>
    gates.length === 0 ? [] : [`missed  ${label || "all runs"}: ${gates.map(gateText).join("; ")}`]
  );
  const areJudged = [...objectives.values()].some((gates) => gates !== undefined);
  return areJudged && missed.length === 0 ? ["all objectives met"] : missed;
}

/** An objective that was missed: `ttft.p99 55 ms, wanted < 50 ms`. */
function gateText({ name, found, condition }: SearchGate): string {
  return `${name} ${found}, wanted ${condition}`;
}

/** Columns that are given up on a narrow screen, in this order. */
const DISPENSABLE = ["TTFT p50", "ITL p99", "tokens/s/user", "tokens/s"];

function sweepTable(results: SweepResults, width: number): string {
  const done = results.points.filter(({ successful }) => successful.length > 0);
  const known = COLUMNS.filter(([, key]) => done.some((point) => meanOf(point, key) !== undefined));
  const isStreamed = known.some(([, key]) => key.startsWith("time_to_first"));
  let columns: readonly Column[] = [
    ...known.filter(([, key]) => !isStreamed || key !== "request_latency_p99"),
    ...answerColumns(done).map(({ head, key }) => [head, key, 100] as const),
  ];
  let table = tableOf(results, columns);
  for (const head of DISPENSABLE) {
    if (tableWidth(table) <= width) break;
    columns = columns.filter(([name]) => name !== head);
    table = tableOf(results, columns);
  }
  return `${renderTable(table, width)}\n` +
    `${windowText(results.points)}; ` +
    `times in ms${frontText(sweepFront(results.points))}`;
}

function tableOf(
  { points }: SweepResults,
  columns: readonly Column[],
): TextTable {
  const judged = judgedPoints(points);
  const names = Object.keys(points[0]?.point.values ?? {});
  const several = points.some(({ runs }) => runs.length > 1);
  const someFailed = points.some((point) => failedRequests(point) > 0);
  const head = [
    ...names,
    ...columns.map(([head]) => head),
    ...(several ? ["runs"] : []),
    ...(someFailed ? ["failed"] : []),
  ];
  return {
    head: [...head, "verdict", ""],
    rows: judged.map(({ isKnee, isOnFront, result: point, verdict }) => [
      ...names.map((name) => String(point.point.values[name])),
      ...columns.map(([, key, factor = 1]) => {
        const mean = meanOf(point, key);
        return mean === undefined ? "-" : significantText(mean * factor);
      }),
      ...(several ? [`${point.successful.length}/${point.runs.length}`] : []),
      ...(someFailed ? [wholeNumber(failedRequests(point))] : []),
      verdict === undefined
        ? point.successful.length === 0 ? "no result" : "-"
        : verdictText(verdict),
      placeText({ isKnee, isOnFront }),
    ]),
    flexible: 0,
    minFlexible: 6,
    alignments: [...head.map(() => "right" as const), "left", "left"],
  };
}

/** The knee and its cost, or the trend, and the best point of those that meet every objective. */
function findingLines(
  { points }: SweepResults,
  { objectives }: CampaignTextOptions,
): string[] {
  if (points.length < 2) return [];
  const judged = judgedPoints(points);
  const front = sweepFront(points);
  const { cause, knee, text } = sweepFinding(judged, front);
  const best = bestFinding(judged, front, objectives);
  const words = [knee ?? text, cause].filter((part) => part !== "").join(". ");
  return [
    `${knee === undefined ? "finding" : "knee   "} ${words}`,
    ...(best === undefined ? [] : [`best    ${best}`]),
  ];
}

function bestLines(results: SweepResults): string[] {
  const { bestThroughput, bestLatency, latencyKey } = analyzeSweep(results.points);
  if (bestThroughput === undefined) return [];
  const latency = latencyKey?.startsWith("time_to") ? "TTFT" : "latency";
  return [
    `best throughput  ${bestText(bestThroughput, "request_throughput_avg", "requests/s")}`,
    ...(bestLatency === undefined || latencyKey === undefined
      ? []
      : [`best ${latency} p99    ${bestText(bestLatency, latencyKey, "ms")}`]),
  ];
}

/** The best point; where intervals overlap, that no point is. */
function bestText({ result, tied, value }: BestPoint, key: string, unit: string): string {
  if (tied.length === 0) return `${result.point.label}  ${significantText(value)} ${unit}`;
  const named = [result, ...tied].map((point) =>
    `${point.point.label} (${significantText(meanOf(point, key) ?? NaN)})`
  );
  return `not significant: the intervals of ${named.join(", ")} ${unit} overlap`;
}

function repeatedTable(point: PointResults, width: number): string {
  const levels = [
    ...new Set(REPEATED.flatMap(([, key]) => {
      const { level, sampling } = point.shown.get(key) ?? {};
      return level === undefined || sampling === undefined ? [] : [level];
    })),
  ];
  const head = levels.length > 1
    ? "confidence interval"
    : `${levelText(levels[0] ?? 0.95)} interval`;
  const rows = REPEATED.flatMap(([name, key, unit]) => {
    const figure = point.shown.get(key);
    if (figure === undefined) return [];
    const { mean, std, cv, min, max, sampling, level } = figure;
    const isUnknown = sampling === undefined || sampling.upper >= UNBOUNDED;
    return [[
      name,
      unit,
      significantText(mean),
      isUnknown ? "-" : `${significantText(sampling.lower)} .. ${significantText(sampling.upper)}` +
        (levels.length > 1 ? ` (${levelText(level)})` : ""),
      significantText(std),
      `${significantText(cv * 100)} %`,
      significantText(min),
      significantText(max),
    ]];
  });
  if (rows.length === 0) return "";
  return `${windowText([point])}\n` + renderTable({
    head: [
      `${point.successful.length} of ${point.runs.length} runs`,
      ...["", "mean", head, "std", "CV", "min", "max"],
    ],
    rows,
    flexible: 0,
    minFlexible: 8,
    alignments: ["left", "left", "right", "right", "right", "right", "right", "right"],
  }, width);
}

/** A confidence level: `95 %`. */
function levelText(level: number): string {
  return `${significantText(level * 100)} %`;
}

/** The answer of a search in a sentence. */
export function searchLine(search: SearchResults): string {
  const { plan, answer, objectives, missed } = search;
  const unit = searchedUnit(search);
  const value = (number: number): string => loadText(number);
  if (answer.answer === undefined) {
    if (answer.limitedBy === undefined) return "search    no result: no run completed";
    const byClient = answer.limitedBy === "client"
      ? ", within the client error: limited by the client, not the server"
      : "";
    const why = missed === undefined ? answer.limitedBy : `${gateText(missed)}${byClient}`;
    return `search    not even ${value(plan.min)} ${unit}: ${why}`;
  }
  const parts = [
    `search    ${answer.atLeast ? "at least " : ""}${value(answer.answer)} ${unit}` +
    (plan.gpus === undefined ? "" : `, ${loadText(answer.answer / plan.gpus)} per GPU`),
    objectives.map(({ gate, interval }) =>
      `${gate.name} ${gate.found} ${gate.condition}` +
      (interval === undefined
        ? ""
        : ` (interval ${threeDigits(interval[0])}-${threeDigits(interval[1])})`)
    ).join(", "),
  ];
  return `${parts.join(": ")}; ${limitText(search)}` +
    (answer.isConfirmed ? "" : "; not confirmed") +
    (answer.isProven ? "; proven" : "; not proven");
}

/** A number of requests in flight, or a rate. */
function loadText(value: number): string {
  return Number.isInteger(value) ? wholeNumber(value) : significantText(value, { digits: 4 });
}

function limitText({ answer, missed, plan }: SearchResults): string {
  const value = loadText;
  if (answer.limit === undefined) {
    return answer.limitedBy === "range"
      ? `nothing larger than ${value(plan.max)} was tested`
      : "nothing larger was tested";
  }
  const found = missed === undefined ? "" : ` (${missedText(missed)})`;
  if (answer.limitedBy === "client") {
    return `${value(answer.limit)} misses it${found}, by no more than the client's own error: ` +
      "limited by the client";
  }
  return `${value(answer.limit)} misses it${found}, limited by ${answer.limitedBy}`;
}

function missedText({ name, found }: SearchGate): string {
  return `${name} ${found}`;
}
