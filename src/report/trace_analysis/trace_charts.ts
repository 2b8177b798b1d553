import type { Chart, ChartSeries } from "../../core/chart/chart.ts";
import { chartSvg } from "../../core/chart/chart_svg.ts";
import { figureText } from "../../core/chart/figure_text.ts";
import { element } from "../../core/chart/markup.ts";
import type { TraceAnalysis, TraceTimes } from "./trace_analysis.ts";
import { ratesText } from "./trace_text.ts";
import type { Summary } from "../../core/statistics/summarize.ts";

const WIDTH = 900;
const HEIGHT = 300;

/** Returns the charts of a trace. */
function traceCharts(analysis: TraceAnalysis): Chart[] {
  const { time, input_length: inputs, output_length: outputs, prefix_cache: cache } = analysis;
  const lengths = [
    ...(inputs === null ? [] : [lengthSeries("input", "blue", inputs)]),
    ...(outputs === null ? [] : [lengthSeries("output", "orange", outputs)]),
  ];
  return [
    ...(time === null ? [] : timeCharts(time)),
    ...(lengths.length === 0 ? [] : [lengthChart(lengths, inputs, outputs)]),
    ...(cache === null ? [] : [cacheChart(cache)]),
  ];
}

/** Returns all charts of a trace in one file, one below the other. */
export function tracePicture(analysis: TraceAnalysis): string {
  const charts = traceCharts(analysis);
  const drawn = charts.map((chart, i) =>
    chartSvg(chart, { width: WIDTH, height: HEIGHT, isFile: true })
      .replace("<svg", `<svg y="${i * HEIGHT}"`)
  );
  const height = HEIGHT * Math.max(1, charts.length);
  return element("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width: WIDTH,
    height,
    viewBox: `0 0 ${WIDTH} ${height}`,
  }, drawn.join(""));
}

function timeCharts(time: TraceTimes): Chart[] {
  const { interval_s: width, intervals } = time;
  const x = intervals.requests.map((_, i) => i * width);
  const edges = [...x, x.length * width];
  const axis = { label: "time in the trace", unit: "s", scale: "linear", min: 0 } as const;
  const rates = (label: string, color: ChartSeries["color"], counts: readonly number[]) => ({
    label,
    color,
    shape: "steps" as const,
    x: edges,
    y: [...counts, counts.at(-1) ?? 0].map((count) => count / width),
  });
  const shared = { x: axis, marks: [], spans: [] };
  return [{
    ...shared,
    id: "trace-requests",
    title: time.duration_s === 0 ? "Requests, all at one time" : ratesText(time),
    caption: `Requests per second, in intervals of ${width} s`,
    y: { label: "requests", unit: "requests/s", scale: "linear", min: 0 },
    series: [{ ...rates("requests", "blue", intervals.requests), shape: "bars" }],
  }, {
    ...shared,
    id: "trace-tokens",
    title: "Tokens over time",
    caption: `Tokens of prompts and of replies per second, in intervals of ${width} s`,
    y: { label: "tokens", unit: "tokens/s", scale: "linear", min: 0 },
    series: [
      rates("input", "blue", intervals.input_tokens),
      rates("output", "orange", intervals.output_tokens),
    ],
  }];
}

const PERCENTILES = [
  ...[["min", 0], ["p1", 1], ["p5", 5], ["p10", 10], ["p25", 25], ["p50", 50], ["p75", 75]],
  ...[["p90", 90], ["p95", 95], ["p99", 99], ["max", 100]],
] as const;

function lengthSeries(
  label: string,
  color: ChartSeries["color"],
  summary: Summary,
): ChartSeries {
  return {
    label,
    color,
    shape: "line",
    x: PERCENTILES.map(([name]) => summary[name as keyof Summary]),
    y: PERCENTILES.map(([, percent]) => Number(percent)),
  };
}

function lengthChart(
  series: readonly ChartSeries[],
  inputs: Summary | null,
  outputs: Summary | null,
): Chart {
  const parts = [
    ...(inputs === null ? [] : [`half of the prompts have up to ${figureText(inputs.p50)} tokens`]),
    ...(outputs === null ? [] : [`half of the replies up to ${figureText(outputs.p50)}`]),
  ];
  const title = parts.join(", ");
  return {
    id: "trace-lengths",
    title: title.charAt(0).toUpperCase() + title.slice(1),
    caption: "Share of requests whose length is at most this",
    x: { label: "length", unit: "tokens", scale: "linear", min: 0 },
    y: { label: "requests", unit: "%", scale: "linear", min: 0, max: 100 },
    series,
    marks: [],
    spans: [],
  };
}

function cacheChart(
  { infinite_cache: infinite, caches }: NonNullable<TraceAnalysis["prefix_cache"]>,
): Chart {
  const best = infinite.hit_rate * 100;
  const sizes = caches.map(({ size_tokens: size }) => size);
  return {
    id: "trace-cache",
    title: `A prefix cache can serve ${figureText(best)} % of the prompt tokens at best`,
    caption: "Share of prompt tokens that a cache of this size would have had",
    x: { label: "size of the cache", unit: "tokens", scale: "log" },
    y: { label: "hit rate", unit: "%", scale: "linear", min: 0, max: 100 },
    series: [{
      label: "hit rate",
      color: "green",
      shape: "line",
      x: sizes,
      y: caches.map(({ hit_rate: rate }) => rate * 100),
    }],
    marks: [{ label: "unlimited", at: best, axis: "y" }],
    spans: [],
  };
}
