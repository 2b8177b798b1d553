/** Charts over time: client and server metrics on one clock. */

import type {
  Axis,
  Chart,
  ChartMark,
  ChartSeries,
  ChartSpan,
  ColorName,
} from "../../core/chart/chart.ts";
import { figureText, millisecondsText, quantityText } from "../../core/chart/figure_text.ts";
import { valueOf } from "../../measurement/metrics/metric_results.ts";
import { changeMarks, pauseSpans, stolenSpans } from "./timeline_events.ts";
import type { RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import type { ServerRole } from "../model/server_timeline.ts";
import {
  type ClientTimeline,
  clientTimeline,
  type MetricOverTime,
  metricOverTime,
  metricPercentiles,
} from "./client_timeline.ts";
import { shownWindow } from "../model/shown_window.ts";
import { steadyResults } from "../model/steady_state.ts";
import { limitOf } from "./objective_of.ts";
import { levelFinding, peakFinding, trendFinding } from "./findings.ts";
import { plannedLimits, plannedRates } from "./planned_load.ts";
import { type RunView, wholeSpan, zeroNs } from "./run_view.ts";
import { ServerLines } from "./server_lines.ts";
import { valueAxis } from "./value_axis.ts";

/** A chart of the timeline before it gets what all of them have. */
type Row = Omit<Chart, "x" | "spans" | "marks"> & Partial<Pick<Chart, "marks">>;

/** Requests up to which each one is a mark. */
const MAX_MARKS = 1000;
/** A limit farther away than this many times the largest value is left out. */
const LIMIT_REACH = 2;

/** The charts from top to bottom; those without data are left out. */
export function timelineCharts(view: RunView): Chart[] {
  const timeline = clientTimeline(view);
  view.release?.();
  const server = new ServerLines(view, timeline);
  const rows = [
    requestRates(view, timeline),
    inFlight(view, timeline, server),
    endpointLoad(server),
    tokenRates(view, timeline, server),
    percentiles(view, timeline, server, "time_to_first_token", "TTFT", "ttft"),
    percentiles(view, timeline, server, "inter_token_latency", "ITL", "itl"),
    percentiles(view, timeline, server, "request_latency", "latency", "latency"),
    kvUsage(server),
    ...GPU_LEVELS.map((level) => gpuLevel(server, level)),
  ].filter((row) => row !== undefined);
  const x = timeAxis(view);
  const spans = timelineSpans(view);
  const changes = changeMarks(view);
  return rows.map(({ marks = [], ...row }) => ({
    ...{ ...row, id: `time-${row.id}`, x, spans },
    marks: [...changes, ...marks],
  }));
}

/** Returns the time axis of a run's charts. */
export function timeAxis(view: RunView): Axis {
  const { startNs, endNs } = wholeSpan(view);
  const zero = zeroNs(view);
  return {
    ...{ label: "since the profiling phase began", unit: "s", scale: "linear" },
    ...{ min: (startNs - zero) / 1e9, max: (endNs - zero) / 1e9 },
  };
}

/**
 * Returns phases, the steady window and what is left out around it, pauses, stalls of the client's
 * process, and intervals of CPU steal.
 */
export function timelineSpans(view: RunView): ChartSpan[] {
  const zero = zeroNs(view);
  const seconds = (ns: number): number => (ns - zero) / 1e9;
  return [
    ...view.phases.filter(({ kind }) => kind === "warmup").map(({ startNs, endNs }): ChartSpan => ({
      ...{ label: "warm-up", kind: "phase" },
      ...{ from: seconds(startNs), to: seconds(endNs) },
    })),
    ...windowSpans(view),
    ...pauseSpans(view),
    ...stolenSpans(view),
    ...view.report.clientHealth.stalls.map(({ startSeconds, seconds }): ChartSpan => ({
      ...{ label: `client stalled for ${figureText(seconds)} s`, kind: "stall" },
      ...{ from: startSeconds, to: startSeconds + seconds },
    })),
  ];
}

/** Ramp-up, steady window and drain; none where the whole run is shown. */
function windowSpans(view: RunView): ChartSpan[] {
  const { report } = view;
  const steady = shownWindow(report).name === "steady" ? steadyResults(report.steady) : undefined;
  if (steady === undefined) return [];
  const zero = zeroNs(view);
  const [start, end] = [(steady.startNs - zero) / 1e9, (steady.endNs - zero) / 1e9];
  const last = (wholeSpan(view).endNs - zero) / 1e9;
  const spans: ChartSpan[] = [
    { label: "ramp-up", kind: "phase", from: 0, to: start },
    { label: "steady state", kind: "window", from: start, to: end },
    { label: "drain", kind: "phase", from: end, to: last },
  ];
  return spans.filter(({ from, to }) => to > from);
}

function requestRates(view: RunView, timeline: ClientTimeline): Row {
  const { report } = view;
  const { edges, completedPerSecond, failedPerSecond } = timeline;
  const rate = valueOf(report.results, "request_throughput");
  const hasFailed = failedPerSecond.some((value) => value > 0);
  return {
    id: "requests",
    title: rate === undefined
      ? "No request was completed"
      : `${figureText(rate)} requests per second were completed` +
        (hasFailed ? `, ${report.requests.failed} failed` : ""),
    caption: "Completed and failed requests per second (client)",
    y: valueAxis("requests/s", "requests/s"),
    series: [
      perBin("completed", "client", edges, completedPerSecond),
      ...plannedRates(view),
      ...(hasFailed ? [perBin("failed", "bad", edges, failedPerSecond)] : []),
    ],
  };
}

function inFlight(
  view: RunView,
  { edges, inFlight, maxInFlight }: ClientTimeline,
  server: ServerLines,
): Row {
  const waiting = server.total("waiting");
  const most = view.serverMetrics?.roles.figure("waiting")?.stats["max"] ??
    Math.max(0, ...waiting.y.map((value) => value ?? 0));
  const told = waiting.y.length === 0
    ? ""
    : most === 0
    ? "; none waited on the server"
    : `; up to ${figureText(most)} waited on the server`;
  return {
    id: "in-flight",
    title: levelFinding(
      "In flight",
      inFlight.filter((_, bin) => (edges[bin] as number) >= 0),
      "",
      maxInFlight,
    ) + told,
    caption: "Requests in flight by the client; running and waiting by the servers' metrics",
    y: valueAxis("requests", "requests"),
    series: [
      ...server.stack(),
      perBin("in flight", "ink", edges, inFlight),
      ...plannedLimits(view),
    ],
  };
}

/** Load of each endpoint; undefined if there is one. */
function endpointLoad(server: ServerLines): Row | undefined {
  const running = server.of("running", "running", ["decode", "green", "grey"]);
  const waiting = server.of("waiting", "waiting", ["queue", "purple", "vermilion"]);
  if (running.length < 2 && waiting.length < 2) return undefined;
  return {
    id: "endpoints",
    title: `Load of ${Math.max(running.length, waiting.length)} endpoints`,
    caption: "Requests running and waiting on each endpoint, by its metrics",
    y: valueAxis("requests", "requests"),
    series: [...running, ...waiting],
  };
}

function tokenRates(
  { report }: RunView,
  { edges, tokensPerSecond }: ClientTimeline,
  server: ServerLines,
): Row | undefined {
  if (tokensPerSecond === undefined) return undefined;
  const rate = valueOf(report.results, "output_token_throughput");
  return {
    id: "tokens",
    title: rate === undefined
      ? "Output tokens over time"
      : `${figureText(rate)} output tokens per second`,
    caption:
      "Output tokens per second: the client's count, each reply's tokens spread evenly from " +
      "its first to its last; the server's counter as steps",
    y: valueAxis("tokens/s", "tokens/s"),
    series: [
      perBin("client", "client", edges, tokensPerSecond),
      ...server.rates("generatedTokens"),
    ],
  };
}

function percentiles(
  view: RunView,
  timeline: ClientTimeline,
  server: ServerLines,
  tag: RecordMetricTag,
  name: string,
  id: string,
): Row | undefined {
  const profiling = metricOverTime(view.profiling, tag, zeroNs(view));
  if (profiling === undefined) return undefined;
  const over = metricPercentiles(view, tag, timeline, profiling);
  const { x, p10, p50, p90, p99 } = over;
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  return {
    id,
    title: trendFinding(capital, profiling) + peakFinding(over, [server.total("waiting")]),
    caption: profiling.values.length <= MAX_MARKS
      ? `${capital} of each request at its start, and the median over time`
      : `${capital} by the start of requests: median, range from p10 to p90, and p99`,
    y: valueAxis(name, "ms"),
    series: profiling.values.length <= MAX_MARKS
      ? [requestMarks(profiling), { label: "median", color: "client", shape: "line", x, y: p50 }]
      : [
        { label: "p10 to p90", color: "client", shape: "band", x, y: p10, upper: p90 },
        { label: "p50", color: "client", shape: "line", x, y: p50 },
        { label: "p99", color: "client", shape: "line", isDashed: true, x, y: p99 },
      ],
    marks: limitMark(view, tag, profiling),
  };
}

/** Every request as a mark at its start. */
function requestMarks({ times, values }: MetricOverTime): ChartSeries {
  const rows = [...times.keys()].sort((a, b) => (times[a] as number) - (times[b] as number));
  const at = (column: Float64Array, digits: number) =>
    rows.map((row) => Number((column[row] as number).toFixed(digits)));
  return { label: "request", color: "client", shape: "points", x: at(times, 6), y: at(values, 3) };
}

/** The limit that an objective sets, unless it is far above every value. */
function limitMark(view: RunView, tag: RecordMetricTag, { values }: MetricOverTime): ChartMark[] {
  const limit = limitOf(view.report, tag);
  const most = values.reduce((most, value) => Math.max(most, value), 0);
  if (limit === undefined || limit > most * LIMIT_REACH) return [];
  return [{ label: `limit ${millisecondsText(limit)}`, at: limit, axis: "y" }];
}

function kvUsage(server: ServerLines): Row | undefined {
  const raw = [
    ...server.of("kvUsage", "KV cache"),
    ...server.largest("kvUsage", "largest instance"),
  ];
  if (raw.length === 0) return undefined;
  const series = raw.map((one) => ({
    ...one,
    y: one.y.map((value) => value === null ? null : value * 100),
  }));
  const most = series.flatMap(({ y }) => y).reduce<number>(
    (most, value) => Math.max(most, value ?? 0),
    0,
  );
  return {
    id: "kv",
    title: `KV cache utilization peaks at ${quantityText(most, "%")}`,
    caption: "Share of the KV cache in use, by the servers' metrics: mean over the instances of " +
      "an endpoint, and the largest of them",
    y: valueAxis("KV cache", "%"),
    series,
  };
}

/** A level of the GPUs of an endpoint. */
interface GpuLevel {
  readonly id: string;
  readonly role: ServerRole;
  /** Name of its line, and the beginning of its title. */
  readonly label: string;
  readonly title?: string;
  readonly caption: string;
  readonly axis: string;
  readonly unit: string;
}

const GPU_LEVELS: readonly GpuLevel[] = [
  {
    ...{ id: "power", role: "gpuPower", label: "GPU power", axis: "power", unit: "W" },
    caption: "Power that the GPUs of an endpoint take together, by its metrics",
  },
  {
    ...{ id: "utilization", role: "gpuUtilization", label: "GPU utilization" },
    ...{ axis: "utilization", unit: "%" },
    caption: "Share of the time in which the busiest GPU of an endpoint worked, by its metrics",
  },
  {
    ...{ id: "memory", role: "gpuMemory", label: "GPU memory", title: "GPU memory in use" },
    ...{ axis: "memory", unit: "GB" },
    caption: "Memory that the GPUs of an endpoint hold together, by its metrics",
  },
];

function gpuLevel(
  server: ServerLines,
  { axis, caption, id, label, role, title = label, unit }: GpuLevel,
): Row | undefined {
  const series = server.of(role, label);
  if (series.length === 0) return undefined;
  const values = series.flatMap(({ y }) => y).filter((value) => value !== null);
  return {
    ...{ id, caption, series },
    title: levelFinding(title, values, unit),
    y: valueAxis(axis, unit),
  };
}

function perBin(
  label: string,
  color: ColorName,
  edges: readonly number[],
  values: readonly number[],
): ChartSeries {
  // The last value holds until the last edge.
  return { label, color, shape: "steps", x: edges, y: [...values, values.at(-1) ?? null] };
}
