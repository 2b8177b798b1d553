/** The plots of a sweep's page. */

import type { BarPlot } from "../../core/chart/bar_plot.ts";
import { millisecondsText } from "../../core/chart/figure_text.ts";
import type { PlotLine, PlotPoint, PlotRule, PointPlot } from "../../core/chart/point_plot.ts";
import { timeParts } from "../model/time_parts.ts";
import type { JudgedPoint } from "../sweep/judged_points.ts";
import { answerColumns } from "../sweep/answer_columns.ts";
import { sessionColumns } from "../sweep/session_columns.ts";
import { isLoad } from "../sweep/load_parameters.ts";
import { meanOf } from "../sweep/point_results.ts";
import { limitText, type TtftLimit } from "../sweep/point_objectives.ts";
import { axisName } from "../sweep/point_texts.ts";
import type { SweepFront } from "../sweep/sweep_front.ts";
import { PART_COLORS, PART_ORDER } from "./part_colors.ts";
import {
  intervalOf,
  isHollow,
  limitOf,
  parameterName,
  pointLabel,
  pointReading,
} from "../sweep/point_values.ts";

/** Factor by which an axis exceeds its values. */
const ROOM = 1.08;
/** Ratio of values from which a log axis shows more. */
const LOG_RATIO = 10;
/** Titles of axes that span a frontier. */
const TITLES: Readonly<Record<string, string>> = {
  "tokens_per_gpu_avg": "output tokens/s per GPU",
  "output_token_throughput_avg": "output tokens/s",
  "request_throughput_avg": "requests/s",
  "interactivity_avg": "output tokens/s/user (pooled)",
  "time_to_first_token_p99": "TTFT p99, ms",
  "request_latency_p99": "latency p99, ms",
};

/** Points that have both statistics. */
function placed(points: readonly JudgedPoint[], xKey: string, yKey: string): JudgedPoint[] {
  return points.filter(({ result }) =>
    meanOf(result, xKey) !== undefined && meanOf(result, yKey) !== undefined
  );
}

function marks(points: readonly JudgedPoint[], xKey: string, yKey: string): PlotPoint[] {
  return points.map((point) => ({
    x: meanOf(point.result, xKey) as number,
    y: meanOf(point.result, yKey) as number,
    xRange: intervalOf(point.result, xKey),
    yRange: intervalOf(point.result, yKey),
    label: point.isKnee ? `${pointLabel(point)} knee` : pointLabel(point),
    color: limitOf(point).color,
    shape: "circle",
    isHollow: isHollow(point),
    isStrong: point.isKnee,
    reading: pointReading(point),
  }));
}

/** The points on the frontier, joined in the order of an axis. */
function frontLine(points: readonly JudgedPoint[], xKey: string, yKey: string): PlotLine {
  const front = points.filter(({ isOnFront }) => isOnFront)
    .map(({ result }) => [meanOf(result, xKey) as number, meanOf(result, yKey) as number] as const)
    .sort(([a], [b]) => a - b);
  return { color: "client", x: front.map(([x]) => x), y: front.map(([, y]) => y) };
}

/** Throughput against what a user gets; undefined if the points have none of both. */
export function frontierPlot(
  points: readonly JudgedPoint[],
  { axes }: SweepFront,
): PointPlot | undefined {
  if (axes === undefined) return undefined;
  const [xKey, yKey] = [axes.other.key, axes.gain.key];
  const shown = placed(points, xKey, yKey);
  const found = marks(shown, xKey, yKey);
  return {
    ...{ kind: "points", id: "frontier", height: 430, narrowHeight: 340 },
    name: `Frontier: ${axisName(yKey)} against ${axisName(xKey)}, a mark for each point`,
    x: { ...axisOver(found), label: `${TITLES[xKey]} →` },
    y: { ...zeroAxis(found), label: `↑ ${TITLES[yKey]}` },
    ...{ lines: [frontLine(shown, xKey, yKey)], bands: [], points: found, rules: [], notes: [] },
  };
}

/** Throughput against TTFT p99; undefined if the points lack one of them. */
export function ttftPlot(
  points: readonly JudgedPoint[],
  { axes }: SweepFront,
  limit: TtftLimit | undefined,
): PointPlot | undefined {
  const xKey = "time_to_first_token_p99";
  if (axes === undefined || axes.other.key === xKey) return undefined;
  const yKey = axes.gain.key;
  const shown = placed(points, xKey, yKey);
  if (shown.length === 0) return undefined;
  const found = marks(shown, xKey, yKey);
  const values = found.map(({ x }) => x).concat(limit === undefined ? [] : [limit.ms]);
  const scale = logScaled(values);
  const most = Math.max(...values) * (scale === "log" ? 1.6 : ROOM);
  return {
    ...{ kind: "points", id: "ttft", height: 330, narrowHeight: 300 },
    name: "Throughput against TTFT p99, a mark for each point",
    x: {
      label: `TTFT p99, ms${scale === "log" ? " (log)" : ""} →`,
      ...{ unit: "", scale, max: most },
      min: scale === "log" ? Math.min(...values) / 1.6 : 0,
    },
    y: { ...zeroAxis(found), label: `↑ ${TITLES[yKey]}` },
    // The frontier is over other axes: joined here, its points would look like another one.
    ...{ lines: [], bands: [], points: found, notes: [] },
    rules: limit === undefined ? [] : [{ axis: "x", at: limit.ms, label: limitText(limit) }],
    shaded: limit === undefined ? undefined : [limit.ms, most],
  };
}

/** Parts of the mean time of a request, a bar for each point; undefined if they are not known. */
export function timePlot(points: readonly JudgedPoint[]): BarPlot | undefined {
  const rows = points.flatMap((point) => {
    if (point.evidence === undefined) return [];
    const parts = timeParts(point.evidence)
      .sort((a, b) => PART_ORDER.indexOf(a.name) - PART_ORDER.indexOf(b.name));
    if (parts.length === 0) return [];
    const total = parts.reduce((sum, { ms }) => sum + ms, 0);
    return [{
      label: pointLabel(point),
      total: millisecondsText(total),
      parts: parts.map(({ ms, name, share, source }) => ({
        color: PART_COLORS[name],
        value: ms,
        reading: {
          place: `${pointLabel(point)}: ${name}`,
          rows: [
            ["mean", millisecondsText(ms)] as const,
            ["share", `${(share * 100).toFixed(0)} %`] as const,
            ["source", source] as const,
          ],
        },
      })),
    }];
  });
  return rows.length === 0 ? undefined : {
    ...{ kind: "bars", id: "time", rows },
    name: "Mean time of a request by its parts, a bar for each point",
  };
}

/** A statistic over the values of a parameter. */
interface ByParameter {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  /** Number by which values are multiplied for the plot. @default 1 */
  readonly factor?: number;
  readonly rule?: PlotRule | undefined;
}

/** Throughput, TTFT p99 and ITL over the parameter that varies, or the load if several do. */
export function parameterPlots(
  points: readonly JudgedPoint[],
  { axes }: SweepFront,
  limit: TtftLimit | undefined,
): PointPlot[] {
  const parameter = plottedParameter(points);
  if (parameter === undefined || axes === undefined) return [];
  const shown: readonly ByParameter[] = [
    { id: "by-throughput", key: axes.gain.key, title: TITLES[axes.gain.key] as string },
    {
      ...{ id: "by-ttft", key: "time_to_first_token_p99", title: "TTFT p99, ms" },
      rule: limit && { axis: "y", at: limit.ms, label: limitText(limit) },
    },
    { id: "by-itl", key: "inter_token_latency_avg", title: "ITL mean, ms" },
    { id: "by-latency", key: "request_latency_p99", title: "latency p99, ms" },
  ];
  return shown.flatMap((one) => parameterPlot(points, parameter, one) ?? []).slice(0, 3);
}

/** Shares of answers over the parameter that varies, or the load if several do. */
export function answerPlots(points: readonly JudgedPoint[]): PointPlot[] {
  const parameter = plottedParameter(points);
  if (parameter === undefined) return [];
  return answerColumns(points.map(({ result }) => result)).flatMap(({ key, title }) =>
    parameterPlot(points, parameter, { id: `by-${key}`, key, title, factor: 100 }) ?? []
  );
}

/** Statistics of sessions over the parameter that varies, or the load if several do. */
export function sessionPlots(points: readonly JudgedPoint[]): PointPlot[] {
  const parameter = plottedParameter(points);
  if (parameter === undefined) return [];
  const columns = sessionColumns(points.map(({ result }) => result));
  const isPerGpu = columns.some(({ key }) => key === "jobs_per_hour_per_gpu_avg");
  return columns.filter(({ key }) => !isPerGpu || key !== "jobs_per_hour_avg").flatMap((
    { key, title },
  ) => parameterPlot(points, parameter, { id: `by-${key}`, key, title }) ?? []);
}

/** The load that varies, else the first parameter; undefined for none. */
function plottedParameter([first]: readonly JudgedPoint[]): string | undefined {
  const names = Object.keys(first?.settings ?? {});
  return names.find(isLoad) ?? names[0];
}

function parameterPlot(
  points: readonly JudgedPoint[],
  parameter: string,
  { factor = 1, id, key, rule, title }: ByParameter,
): PointPlot | undefined {
  const known = points.flatMap((point) => {
    const [x, y] = [Number(point.settings[parameter]), meanOf(point.result, key)];
    return y === undefined || !Number.isFinite(x) ? [] : [{ point, x, y: y * factor }];
  });
  if (known.length < 2) return undefined;
  const name = parameterName(parameter, points);
  const others = (point: JudgedPoint): string =>
    JSON.stringify(Object.entries(point.settings).filter(([name]) => name !== parameter));
  const lines = [...Map.groupBy(known, ({ point }) => others(point)).values()].map((some) => {
    const sorted = some.toSorted((a, b) => a.x - b.x);
    return { color: "client" as const, x: sorted.map(({ x }) => x), y: sorted.map(({ y }) => y) };
  });
  const isWide = lines.length > 1;
  const most = Math.max(...known.map(({ x }) => x));
  const workload = ({ settings }: JudgedPoint): string =>
    pointLabel({
      settings: Object.fromEntries(
        Object.entries(settings).filter(([name]) => name !== parameter),
      ),
    });
  const found = known.map(({ point, x, y }): PlotPoint => ({
    ...{ x, y, yRange: scaled(intervalOf(point.result, key), factor), shape: "circle" },
    label: isWide && x === most ? workload(point) : "",
    color: isWide ? limitOf(point).color : "client",
    isHollow: isHollow(point),
    isStrong: point.isKnee,
    reading: pointReading(point),
  }));
  const knee = isWide ? undefined : known.find(({ point }) => point.isKnee)?.x;
  const xScale = logScaled(known.map(({ x }) => x));
  const yScale = key === "time_to_first_token_p99" ? logScaled(known.map(({ y }) => y)) : "linear";
  const isLimited = rule !== undefined && rule.at < 3 * Math.max(...known.map(({ y }) => y));
  const values = [...found, ...(isLimited ? [{ x: known[0]?.x as number, y: rule.at }] : [])];
  return {
    ...{ kind: "points", id, height: 220, narrowHeight: 220 },
    name: `${title} by ${name}`,
    x: { label: name, unit: "", scale: xScale, ...spread(known, xScale) },
    y: yScale === "log"
      ? { ...{ label: `${title} (log)`, unit: "", scale: "log" }, ...ySpread(values) }
      : { ...zeroAxis(values), label: title },
    xTicks: [...new Set(known.map(({ x }) => x))],
    ...{ lines, bands: [], points: found, notes: [] },
    rules: [
      ...(isLimited ? [rule] : []),
      ...(knee === undefined ? [] : [{ axis: "x" as const, at: knee, label: "knee" }]),
    ],
  };
}

function scaled(range: PlotPoint["yRange"], factor: number): PlotPoint["yRange"] {
  return range && [range[0] * factor, range[1] * factor];
}

/** Bounds that leave room next to the outermost values. */
function spread(
  values: readonly { readonly x: number }[],
  scale: "linear" | "log",
): { readonly min: number; readonly max: number } {
  const [least, most] = [
    Math.min(...values.map(({ x }) => x)),
    Math.max(...values.map(({ x }) => x)),
  ];
  return scale === "log" ? { min: least / 1.15, max: most * 1.15 } : { min: 0, max: most * ROOM };
}

function ySpread(
  values: readonly { readonly y: number }[],
): { readonly min: number; readonly max: number } {
  const all = values.map(({ y }) => y);
  return { min: Math.min(...all) / 1.4, max: Math.max(...all) * 1.4 };
}

function logScaled(values: readonly number[]): "linear" | "log" {
  const least = Math.min(...values);
  return least > 0 && Math.max(...values) / least > LOG_RATIO ? "log" : "linear";
}

/** An axis of the throughput, from zero. */
export function zeroAxis(
  points: readonly {
    readonly y: number;
    readonly yRange?: readonly [number, number] | undefined;
  }[],
) {
  const most = Math.max(...points.map(({ y, yRange }) => Math.min(yRange?.[1] ?? y, 1.5 * y)));
  return { unit: "", scale: "linear" as const, min: 0, max: most > 0 ? most * ROOM : 1 };
}

/** An axis around the values that points have, not from zero: speeds of users are close together. */
export function axisOver(
  points: readonly {
    readonly x: number;
    readonly xRange?: readonly [number, number] | undefined;
  }[],
) {
  const ends = points.flatMap(({ x, xRange = [x, x] }) => [
    Math.max(xRange[0], 0.7 * x),
    Math.min(xRange[1], 1.3 * x),
  ]);
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const room = (most - least || most || 1) * 0.07;
  return {
    ...{ unit: "", scale: "linear" as const },
    min: Math.max(0, least - room),
    max: most + room,
  };
}
