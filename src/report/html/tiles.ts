/** The headline numbers, each with its error and its objective. */

import { figureText, millisecondsPair, millisecondsText } from "../../core/chart/figure_text.ts";
import { element, escapedMarkup } from "../../core/chart/markup.ts";
import { PALETTE } from "../../core/chart/palette.ts";
import { distributionOf, valueOf } from "../../measurement/metrics/metric_results.ts";
import type { RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import { histogram, sortedValues } from "./distribution_charts.ts";
import { upperBound } from "../../core/statistics/search_sorted.ts";
import { shareText } from "./findings.ts";
import { largestError } from "../model/largest_error.ts";
import { objectiveOf } from "./objective_of.ts";
import type { RunView } from "./run_view.ts";

const UNKNOWN_ERROR = "client error unknown";
const SPARK = { width: 160, height: 28, bins: 40 } as const;

/** A headline number. */
interface Tile {
  readonly name: string;
  readonly figure: string;
  /** Markup below it. */
  readonly notes: readonly string[];
  readonly picture?: string;
}

/** The tiles' markup. */
export function tiles(view: RunView): string {
  const all = [
    latencyTile(view, "time_to_first_token", "TTFT", ["p50", "p99"]),
    latencyTile(view, "inter_token_latency", "ITL", ["p50", "p99"]),
    latencyTile(view, "request_latency", "latency", ["p50", "p99"]),
    rateTile(view, "output_token_throughput", "tokens/s out"),
    rateTile(view, "request_throughput", "requests/s"),
    goodTile(view),
    costTile(view),
  ].filter((tile) => tile !== undefined);
  return `<ul class="tiles">${all.map(tileMarkup).join("")}</ul>\n`;
}

function tileMarkup({ name, figure, notes, picture = "" }: Tile): string {
  const lines = notes.map((note) => `<p class="soft">${note}</p>`).join("");
  return `<li class="tile"><h3>${escapedMarkup(name)}</h3>` +
    `<div class="figure">${escapedMarkup(figure)}</div>${lines}${picture}</li>`;
}

function latencyTile(
  view: RunView,
  tag: RecordMetricTag,
  name: string,
  [first, second]: readonly ["p50", "p99"],
): Tile | undefined {
  const { report, profiling } = view;
  const summary = distributionOf(report.results, tag);
  if (summary === undefined) return undefined;
  const objective = objectiveOf(report, tag);
  const sorted = sortedValues(profiling, tag);
  const met = upperBound(sorted, objective ?? NaN);
  return {
    name: `${name} ${first} / ${second}`,
    figure: millisecondsPair(summary[first], summary[second]),
    notes: [
      ...errorNote(view, tag, [[first, summary[first]], [second, summary[second]]]),
      ...(objective === undefined ? [] : [
        `${escapedMarkup(shareText(met / sorted.length))} within ${
          escapedMarkup(millisecondsText(objective))
        }`,
      ]),
    ],
    picture: spark(sorted),
  };
}

/** Returns the larger of the statistics' errors as a fraction, if one is known. */
function errorNote(
  { report: { measurementError } }: RunView,
  tag: RecordMetricTag,
  figures: readonly (readonly [statistic: string, value: number])[],
): string[] {
  const errors = figures.map(([statistic, value]) =>
    largestError(measurementError, tag, statistic, value)
  );
  if (errors.every((error) => error === undefined)) return [];
  if (errors.every((error = Infinity) => error === Infinity)) return [UNKNOWN_ERROR];
  const texts = errors.map((error = Infinity) =>
    error === Infinity ? "unknown" : millisecondsText(error)
  );
  return [`client error &lt; ${escapedMarkup(texts.join(" / "))}`];
}

function rateTile(
  { report }: RunView,
  tag: "output_token_throughput" | "request_throughput",
  name: string,
): Tile | undefined {
  const value = valueOf(report.results, tag);
  if (value === undefined) return undefined;
  const error = largestError(report.measurementError, tag, "avg", value);
  // The time of some runs ends when the plan says, whenever the client read the last reply.
  const notes = error === undefined || error === 0
    ? []
    : error === Infinity
    ? [UNKNOWN_ERROR]
    : [`client error &lt; ${escapedMarkup(figureText(error))}`];
  return { name, figure: figureText(value), notes };
}

/** Returns the cost of the servers by the user's price; undefined without one. */
function costTile({ report: { results } }: RunView): Tile | undefined {
  const perToken = valueOf(results, "cost_per_million_output_tokens");
  const perRequest = valueOf(results, "cost_per_request");
  if (perRequest === undefined) return undefined;
  const request = `${figureText(perRequest)} per request`;
  return perToken === undefined
    ? { name: "cost per request", figure: figureText(perRequest), notes: [] }
    : {
      name: "cost / 1M tokens out",
      figure: figureText(perToken),
      notes: [escapedMarkup(request)],
    };
}

/** Which requests were good by the objectives; without any, which were valid. */
function goodTile({ report: { results, requests, inputConfig } }: RunView): Tile | undefined {
  const share = valueOf(results, "good_request_fraction");
  if (share !== undefined) {
    const rate = valueOf(results, "goodput");
    const names = Object.keys(inputConfig["slos"] as Record<string, unknown> ?? {}).length;
    return {
      name: "good requests",
      figure: shareText(share),
      notes: [
        ...(rate === undefined ? [] : [`${escapedMarkup(figureText(rate))} per second`]),
        `meet ${names === 1 ? "the objective" : `all ${names} objectives`}`,
      ],
    };
  }
  const ended = requests.succeeded + requests.failed;
  if (ended === 0) return undefined;
  return {
    name: "valid requests",
    figure: shareText(requests.succeeded / ended),
    notes: [`${escapedMarkup(String(requests.failed))} failed`],
  };
}

/** A small histogram. */
function spark(sorted: Float64Array): string {
  if (sorted.length < 2) return "";
  const { width, height, bins } = SPARK;
  const { counts } = histogram(sorted, "linear", bins);
  const most = Math.max(...counts);
  const bars = counts.map((count, bin) => {
    const tall = count / most * height;
    return count === 0 ? "" : `<rect x="${bin * width / bins}" y="${(height - tall).toFixed(1)}" ` +
      `width="${width / bins - 0.5}" height="${tall.toFixed(1)}"/>`;
  });
  return element(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: "none",
      fill: PALETTE.blue,
      "aria-hidden": "true",
    },
    bars.join(""),
  );
}
