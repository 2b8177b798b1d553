/** Charts of the changes of conversations from turn to turn. */

import type { Chart, ChartSeries, ColorName } from "../../core/chart/chart.ts";
import { figureText, millisecondsText } from "../../core/chart/figure_text.ts";
import type { Summary } from "../../core/statistics/summarize.ts";
import { distributionOf } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import {
  cachedShare,
  type SessionResults,
  type TurnResults,
} from "../../measurement/metrics/session_results.ts";

/** Times that are drawn by turn. */
const TIMES = [
  { id: "turn-ttft", tag: "time_to_first_token", name: "TTFT" },
  { id: "turn-itl", tag: "inter_token_latency", name: "ITL" },
  { id: "turn-latency", tag: "request_latency", name: "Latency" },
] as const satisfies readonly { id: string; tag: MetricTag; name: string }[];

/** Space on both sides of the first and the last turn. */
const ROOM = 0.5;

/** Returns the charts of a run's sessions; unknown metrics have no chart. */
export function turnCharts({ turns }: SessionResults): Chart[] {
  return [
    promptChart(turns),
    ...TIMES.map((time) => timeChart(turns, time)),
    endsChart(turns),
  ].filter((chart) => chart !== undefined);
}

/** The growing prompt, and how much of it the server had in its cache. */
function promptChart(turns: readonly TurnResults[]): Chart | undefined {
  const prompts = line(turns, "input_sequence_length", "avg", "whole prompt", "blue");
  if (prompts === undefined) return undefined;
  const cached = line(turns, "usage_prompt_cache_read_tokens", "avg", "from a cache", "green");
  const values = numbersOf(prompts);
  const [first = 0, last = 0] = [values[0], values.at(-1)];
  // Of the server's own count of the prompt, as in the table.
  const share = turns.map(cachedShare).findLast((share) => share !== undefined);
  const growth = `Prompts grow from ${figureText(first)} to ${figureText(last)} tokens`;
  return chartOf("turn-prompts", {
    title: share === undefined
      ? growth
      : `${growth}, of the last ${figureText(share)} % from a cache`,
    caption: cached === undefined
      ? "Mean prompt tokens by turn; the server does not report cache hits"
      : "Mean prompt tokens by turn, total and served from the prefix cache",
    unit: "tokens",
    label: "input tokens",
    series: [prompts, ...(cached === undefined ? [] : [cached])],
  });
}

function timeChart(
  turns: readonly TurnResults[],
  { id, tag, name }: typeof TIMES[number],
): Chart | undefined {
  const median = line(turns, tag, "p50", "p50", "blue");
  const slow = line(turns, tag, "p99", "p99", "orange");
  if (median === undefined || slow === undefined) return undefined;
  const values = numbersOf(median);
  const [first = 0, last = 0] = [values[0], values.at(-1)];
  return chartOf(id, {
    title: `${name} p50: ${millisecondsText(first)} in the first turn, ${
      millisecondsText(last)
    } in the last`,
    caption: `${name} by turn: median, and 99th percentile`,
    unit: "ms",
    label: name,
    series: [median, slow],
  });
}

/** How many sessions came to each turn. */
function endsChart(turns: readonly TurnResults[]): Chart {
  const counts = turns.map(({ succeeded }) => succeeded);
  const failures = turns.map(({ failed }) => failed);
  const failed = failures.reduce((sum, count) => sum + count, 0);
  const x = turns.map(({ turn }) => turn);
  return chartOf("turn-requests", {
    title: failed === 0
      ? "No turn failed"
      : `${figureText(failed)} turns failed, which ended their sessions`,
    caption: "Requests by turn; sessions end with their last turn, or one that fails",
    unit: "requests",
    label: "requests",
    series: [
      { label: "succeeded", color: "blue", shape: "line", x, y: counts },
      { label: "failed", color: "vermilion", shape: "line", x, y: failures },
    ],
  });
}

function chartOf(
  id: string,
  { title, caption, label, unit, series }: {
    readonly title: string;
    readonly caption: string;
    readonly label: string;
    readonly unit: string;
    readonly series: readonly ChartSeries[];
  },
): Chart {
  const turns = series.flatMap(({ x }) => x);
  return {
    id,
    title,
    caption,
    x: {
      label: "turn",
      unit: "",
      scale: "linear",
      min: Math.min(...turns) - ROOM,
      max: Math.max(...turns) + ROOM,
    },
    y: { label, unit, scale: "linear", min: 0 },
    series,
    marks: [],
    spans: [],
  };
}

/** A statistic by turn; undefined if no turn has it. */
function line(
  turns: readonly TurnResults[],
  tag: MetricTag,
  statistic: "avg" | "p50" | "p99",
  label: string,
  color: ColorName,
): ChartSeries | undefined {
  const summaries = turns.map(({ results }): Summary | undefined => distributionOf(results, tag));
  if (summaries.every((summary) => summary === undefined)) return undefined;
  return {
    label,
    color,
    shape: "line",
    x: turns.map(({ turn }) => turn),
    y: summaries.map((summary) => summary?.[statistic] ?? null),
  };
}

function numbersOf({ y }: ChartSeries): number[] {
  return y.filter((value) => value !== null);
}
