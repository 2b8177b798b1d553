/** Charts of a sweep as files: throughput against each latency, the frontier joined by a line. */

import type { Chart, ChartSeries } from "../../core/chart/chart.ts";
import { figureText } from "../../core/chart/figure_text.ts";
import { meanOf, type PointResults } from "../sweep/point_results.ts";
import { sweepAnswersChart } from "./sweep_answers_chart.ts";
import { sweepSessionsChart } from "./sweep_sessions_chart.ts";
import { sweepFront } from "../sweep/sweep_front.ts";

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

/** Returns the charts of a sweep for which its points have values. */
export function sweepCharts(points: readonly PointResults[]): Chart[] {
  const isStreamed = points.some((point) => meanOf(point, TRADES[0]?.key ?? "") !== undefined);
  return [
    ...TRADES.filter(({ id }) => isStreamed !== (id === "throughput-latency"))
      .flatMap((trade) => tradeChart(points, trade) ?? []),
    ...[sweepAnswersChart(points) ?? [], sweepSessionsChart(points) ?? []].flat(),
  ];
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

/** Returns the points on the frontier, the line that joins them, and the dominated points. */
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
          label: "frontier",
          color: "blue",
          shape: "line",
          x: best.map(({ x }) => x),
          y: best.map(({ y }) => y),
        } as const,
      ]
      : []),
    { label: "on the frontier", color: "blue", shape: "points", ...pointsOf(best) },
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
