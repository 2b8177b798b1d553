/** The table of a sweep's points; on narrow screens each row is a card. */

import { figureText } from "../../core/chart/figure_text.ts";
import { escapedMarkup } from "../../core/chart/markup.ts";
import type { JudgedPoint } from "../sweep/judged_points.ts";
import type { MissedObjectives } from "../sweep/point_objectives.ts";
import { failedRequests, meanOf, type PointResults } from "../sweep/point_results.ts";
import { answerColumns, answerPercent } from "../sweep/answer_columns.ts";
import { placeText } from "../sweep/point_texts.ts";
import { intervalOf, limitOf, parameterNames, pointLabel } from "../sweep/point_values.ts";
import { swatch } from "./plot_part.ts";
import { mark, markOf } from "./verdict_mark.ts";

/** Columns: head, statistic, whether the interval is shown. */
const COLUMNS = [
  ["requests/s", "request_throughput_avg", false],
  ["tokens/s", "output_token_throughput_avg", true],
  ["tokens/s/GPU", "tokens_per_gpu_avg", true],
  ["tokens/s/user", "interactivity_avg", true],
  ["TTFT p50 ms", "time_to_first_token_p50", false],
  ["TTFT p99 ms", "time_to_first_token_p99", true],
  ["ITL mean ms", "inter_token_latency_avg", false],
  ["latency p99 ms", "request_latency_p99", false],
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

const VERDICTS = ["valid", "not_proven", "suspect", "invalid"] as const;

/**
 * Returns the table.
 * @param page name of the page of a run
 */
export function sweepTable(
  points: readonly JudgedPoint[],
  objectives: ReadonlyMap<PointResults, MissedObjectives>,
  page: string,
): string {
  const has = (key: string): boolean =>
    points.some(({ result }) => meanOf(result, key) !== undefined);
  // Requests are for replies without tokens, whole latencies for those without streams.
  const isSpare = (key: string): boolean =>
    key === "request_throughput_avg" && has("output_token_throughput_avg") ||
    key === "output_token_throughput_avg" && has("tokens_per_gpu_avg") ||
    key === "request_latency_p99" && has("time_to_first_token_p99");
  const columns = COLUMNS.filter(([, key]) => has(key) && !isSpare(key));
  const drafts = DRAFT_COLUMNS.filter(([, valueOf]) =>
    points.some(({ evidence = {} }) => valueOf(evidence) !== undefined)
  );
  const answers = answerColumns(points.map(({ result }) => result));
  const hasServer = points.some(({ evidence }) => evidence?.waiting !== undefined);
  const areJudged = [...objectives.values()].some((missed) => missed !== undefined);
  const heads = [
    ...[...columns, ...drafts, ...answers.map(({ head }) => [head])].map(([head]) =>
      `<th scope="col">${head}</th>`
    ),
    ...(hasServer ? ['<th scope="col">running / waiting</th>'] : []),
    '<th scope="col" class="text">diagnosis</th>',
    ...(areJudged ? ['<th scope="col" class="text">objectives</th>'] : []),
    '<th scope="col" class="text">verdict</th><th scope="col" class="text">runs</th>',
  ];
  const rows = points.map((point) => {
    const cells = [
      nameCell(point),
      ...columns.map(([head, key, hasInterval]) => valueCell(point, head, key, hasInterval)),
      ...drafts.map(([head, valueOf]) => plainCell(head, valueOf(point.evidence ?? {}))),
      ...answers.map((column) => plainCell(column.head, answerPercent(point.result, column))),
      ...(hasServer ? [serverCell(point)] : []),
      diagnosisCell(point),
      ...(areJudged ? [objectiveCell(objectives.get(point.result))] : []),
      verdictCell(point),
      runsCell(point, page),
    ];
    const label = escapedMarkup(pointLabel(point));
    return `<tr${point.isKnee ? ' class="knee"' : ""} data-front="${point.isOnFront}" ` +
      `data-label="${label}">${cells.join("")}</tr>`;
  });
  return '<div class="scroll" tabindex="0"><table class="cards points"><thead><tr>' +
    `<th scope="col">${escapedMarkup(parameterNames(points) || "plan")}</th>${heads.join("")}` +
    `</tr></thead><tbody>${rows.join("")}</tbody></table></div>\n`;
}

function nameCell(point: JudgedPoint): string {
  const place = placeText(point);
  return `<th scope="row">${escapedMarkup(pointLabel(point) || "all runs")}${
    place === "" ? "" : ` <small class="place">${place}</small>`
  }</th>`;
}

function valueCell(
  { result }: JudgedPoint,
  head: string,
  key: string,
  hasInterval: boolean,
): string {
  const value = meanOf(result, key);
  if (value === undefined) return "<td></td>";
  const interval = hasInterval ? intervalOf(result, key) : undefined;
  return `<td><span class="label">${head}</span>${figureText(value)}${
    interval === undefined ? "" : `<small>${interval.map(figureText).join(" to ")}</small>`
  }</td>`;
}

function plainCell(head: string, value: number | undefined): string {
  return value === undefined
    ? "<td></td>"
    : `<td><span class="label">${head}</span>${figureText(value)}</td>`;
}

function serverCell({ evidence }: JudgedPoint): string {
  const { running, waiting } = evidence ?? {};
  if (running === undefined || waiting === undefined) {
    return '<td><span class="label">running / waiting</span>not reported</td>';
  }
  return `<td><span class="label">running / waiting</span>${running.toFixed(1)} / ${
    waiting.toFixed(1)
  }</td>`;
}

function diagnosisCell(point: JudgedPoint): string {
  const { code, color } = limitOf(point);
  const cause = point.diagnosis?.["text"];
  return `<td class="text diagnosis">${swatch(color, "circle")}${escapedMarkup(code)}${
    typeof cause === "string" ? `<small>${escapedMarkup(cause)}</small>` : ""
  }</td>`;
}

function objectiveCell(missed: MissedObjectives): string {
  if (missed === undefined) return '<td class="text">not evaluated</td>';
  if (missed.length === 0) return '<td class="text"><span class="met">met</span></td>';
  const texts = missed.map(({ condition, found, name }) =>
    `<small>${escapedMarkup(`${name} ${found}, wanted ${condition}`)}</small>`
  );
  return `<td class="text"><span class="missed">missed</span>${texts.join("")}</td>`;
}

function verdictCell({ result, verdict }: JudgedPoint): string {
  const known = VERDICTS.find((one) => one === verdict);
  const failed = failedRequests(result);
  const text = known === undefined
    ? result.successful.length === 0 ? "no result" : "not known"
    : mark(markOf(known), { isShown: true });
  return `<td class="text">${text}${
    failed === 0 ? "" : `<small>${figureText(failed)} failed</small>`
  }</td>`;
}

function runsCell({ result: { runs } }: JudgedPoint, page: string): string {
  const links = runs.map(({ folder }, index) =>
    `<a href="${escapedMarkup(encodeURI(`${folder}/${page}`).replaceAll("#", "%23"))}">` +
    `${runs.length === 1 ? "report" : `run ${index + 1}`}</a>`
  );
  return `<td class="text">${links.join(" ") || "not done"}</td>`;
}
