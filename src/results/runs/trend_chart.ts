import type { Chart } from "../../core/chart/chart.ts";
import { quantityText } from "../../core/chart/figure_text.ts";
import { startText } from "./run_table.ts";
import type { TrendPoint } from "./run_history.ts";

const SPANS: readonly (readonly [name: string, ms: number])[] = [
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["min", 60_000],
];
/** Unit of the time axis if it gives at least so many of it. */
const LEAST_UNITS = 2;

/**
 * The picture of a figure over time.
 * @param points by their times, at least one
 */
export function trendChart(name: string, points: readonly TrendPoint[]): Chart {
  const times = points.map(({ run }) => run.startMs as number);
  const [first, last] = [times[0] as number, times.at(-1) as number];
  const [unit, unitMs] = SPANS.find(([, ms]) => (last - first) / ms >= LEAST_UNITS) ??
    SPANS.at(-1) as (typeof SPANS)[number];
  const x = times.map((time) => (time - first) / unitMs);
  const y = points.map(({ value }) => value);
  const figureUnit = points[0]?.unit ?? "";
  const shown = (value: number | undefined): string => quantityText(value ?? NaN, figureUnit);
  const what = points.length === 1
    ? `${name}: ${shown(y[0])}`
    : `${name}: ${shown(y[0])} in the first of ${points.length} runs, ${
      shown(y.at(-1))
    } in the last`;
  return {
    id: "trend",
    title: what,
    caption: `A point for each run, from ${startText(first)} to ${startText(last)} UTC`,
    x: {
      ...{ label: `since ${startText(first)} UTC`, unit, scale: "linear", min: 0 },
      max: Math.max(x.at(-1) as number, 1e-3),
    },
    y: {
      ...{ label: name, unit: figureUnit },
      ...{ scale: "linear", min: 0 },
    },
    series: [
      { ...{ label: name, color: "blue", shape: "line" }, x, y },
      { ...{ label: "runs", color: "blue", shape: "points" }, x, y, radii: x.map(() => 3) },
    ],
    marks: [],
    spans: [],
  };
}
