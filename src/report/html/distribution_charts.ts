/** Charts of distributions: histograms and cumulative curves. */

import type { Chart, ChartMark, ChartSeries, ColorName } from "../../core/chart/chart.ts";
import { millisecondsText } from "../../core/chart/figure_text.ts";
import { percentile } from "../../core/statistics/percentile.ts";
import { lowerBound, upperBound } from "../../core/statistics/search_sorted.ts";
import { sortNumbers } from "../../core/statistics/sort_numbers.ts";
import { withoutGaps } from "../../core/statistics/without_gaps.ts";
import type { RecordMetricTag } from "../../measurement/metrics/record_metrics.ts";
import { OUTERMOST_FIRST } from "../../telemetry/engines/engine.ts";
import type { RoleName } from "../../telemetry/engines/roles.ts";
import { MS_PER } from "../model/milliseconds.ts";
import type { ServerMetricsReport } from "../model/server_metrics_report.ts";
import { shareText } from "./findings.ts";
import { objectiveOf } from "./objective_of.ts";
import type { RequestTable, RunView } from "./run_view.ts";

/** Bins of a histogram. */
export const BINS = 60;
const CURVE_POINTS = 200;
/** A server's bound beyond this many times the client's largest value is not shown. */
const STEP_REACH = 1.5;
/** From this ratio of the largest to the median on, a logarithmic axis shows more. */
export const LOG_RATIO = 8;

/** Charts of one metric: its histogram and curve with both kinds of axis. */
export interface Distribution {
  readonly name: string;
  readonly linear: readonly Chart[];
  readonly log: readonly Chart[];
  /** Which of them is shown first. */
  readonly isLog: boolean;
}

const SHOWN: readonly (readonly [
  tag: RecordMetricTag,
  id: string,
  name: string,
  /** Roles that measure the same on the server, the closest first. */
  roles: readonly RoleName[],
])[] = [
  ["time_to_first_token", "ttft", "TTFT", ["ttft"]],
  ["inter_token_latency", "itl", "ITL", ["tpot", "itl"]],
  ["request_latency", "latency", "Latency", ["e2e"]],
];

/** The distributions of a run. */
export function distributions(view: RunView): Distribution[] {
  return SHOWN.flatMap(([tag, id, name, roles]) => {
    const sorted = sortedValues(view.profiling, tag);
    if (sorted.length === 0) return [];
    const server = serverSteps(view.serverMetrics, roles);
    const objective = objectiveOf(view.report, tag);
    const scales = ["linear", "log"] as const;
    const [linear, log] = scales.map((scale) =>
      chartsOf({ id, name, sorted, server, objective, scale })
    ) as [Chart[], Chart[]];
    const most = sorted.at(-1) as number;
    return [{ name, linear, log, isLog: most > LOG_RATIO * percentile(sorted, 50) }];
  });
}

const sortedOf = new WeakMap<RequestTable, Map<RecordMetricTag, Float64Array>>();

/** Returns the existing values of a metric, ascending: several charts are drawn from them. */
export function sortedValues(table: RequestTable, tag: RecordMetricTag): Float64Array {
  const known = sortedOf.get(table) ?? new Map<RecordMetricTag, Float64Array>();
  sortedOf.set(table, known);
  const sorted = known.get(tag) ??
    sortedForPictures(withoutGaps(table.column(tag) ?? new Float64Array(0)));
  known.set(tag, sorted);
  return sorted;
}

/**
 * Number of values from which a chart shows no nanoseconds; whole numbers are sorted much faster.
 */
const MANY = 200_000;

function sortedForPictures(milliseconds: Float64Array<ArrayBuffer>): Float64Array {
  if (milliseconds.length >= MANY) {
    for (let at = 0; at < milliseconds.length; at++) {
      milliseconds[at] = Math.round((milliseconds[at] as number) * 1e6) / 1e6;
    }
  }
  return sortNumbers(milliseconds);
}

/** A server's own cumulative histogram. */
interface ServerSteps {
  readonly metric: string;
  readonly series: ChartSeries;
}

/** Inputs for the charts of a metric. */
interface Inputs {
  readonly id: string;
  readonly name: string;
  readonly sorted: Float64Array;
  readonly server: ServerSteps | undefined;
  readonly objective: number | undefined;
  readonly scale: "linear" | "log";
}

function chartsOf({ id, name, sorted, server, objective, scale }: Inputs): Chart[] {
  const x = { label: name, unit: "ms", scale };
  const { edges, counts } = histogram(sorted, scale, BINS);
  const marks: ChartMark[] = objective === undefined
    ? []
    : [{ label: `SLO ${millisecondsText(objective)}`, at: objective, axis: "x" }];
  const steps = server === undefined ? [] : within(server.series, sorted);
  const [p50, p99] = [percentile(sorted, 50), percentile(sorted, 99)];
  const finding = `${name}: half within ${millisecondsText(p50)}, 99 % within ${
    millisecondsText(p99)
  }`;
  const kept = objective === undefined ? undefined : upperBound(sorted, objective);
  return [
    {
      id: `${id}-histogram-${scale}`,
      title: finding,
      caption: `Number of requests by their ${nameInText(name)}`,
      x,
      y: { label: "requests", unit: "requests", scale: "linear", min: 0 },
      series: [{
        label: "client",
        color: "client",
        shape: "bars",
        x: edges,
        y: [...counts, counts.at(-1) ?? null],
      }],
      marks,
      spans: [],
    },
    {
      id: `${id}-cumulative-${scale}`,
      title: kept === undefined || objective === undefined
        ? `${name}: the slowest took ${millisecondsText(sorted.at(-1) as number)}`
        : `${shareText(kept / sorted.length)} of valid requests meet ${name} ${
          millisecondsText(objective)
        }`,
      caption: `Share of requests whose ${nameInText(name)} is at most this` +
        (steps.length === 0 ? "" : `; the server's own histogram as steps (${server?.metric})`),
      x,
      y: { label: "requests", unit: "%", scale: "linear", min: 0, max: 100 },
      series: [cumulativeCurve(sorted), ...steps],
      marks,
      spans: [],
    },
  ];
}

function nameInText(name: string): string {
  return name === "Latency" ? "latency" : name;
}

/** Numbers of values between edges that are evenly spaced on the axis. */
export function histogram(
  sorted: Float64Array,
  scale: "linear" | "log",
  bins: number,
): { readonly edges: number[]; readonly counts: number[] } {
  const edges = histogramEdges([sorted], scale, bins);
  return { edges, counts: countsBetween(edges, sorted) };
}

/** Edges that are evenly spaced on the axis, and between which all values lie. */
export function histogramEdges(
  columns: readonly Float64Array[],
  scale: "linear" | "log",
  bins: number,
): number[] {
  const most = Math.max(...columns.map((sorted) => sorted.at(-1) as number));
  const least = Math.min(
    ...columns.map((sorted) =>
      scale === "log" ? sorted.find((value) => value > 0) ?? 1 : sorted[0] as number
    ),
  );
  const room = most > least ? most : least + (Math.abs(least) || 1) * 0.01;
  const edgeAt = (share: number): number =>
    scale === "log" ? least * (room / least) ** share : least + (room - least) * share;
  return Array.from({ length: bins + 1 }, (_, i) => Number(edgeAt(i / bins).toPrecision(6)));
}

/** Numbers of ascending values between edges; what lies outside belongs to the outermost. */
export function countsBetween(edges: readonly number[], sorted: Float64Array): number[] {
  const inner = edges.slice(1, -1);
  const ends = [...inner.map((edge) => lowerBound(sorted, edge)), sorted.length];
  return ends.map((end, bin) => end - (ends[bin - 1] ?? 0));
}

/** The cumulative curve: dense at its ends, where it matters. */
export function cumulativeCurve(
  sorted: Float64Array,
  label = "client",
  color: ColorName = "client",
): ChartSeries {
  const shares = new Set<number>([0, 100]);
  for (let i = 0; i <= CURVE_POINTS; i++) {
    // Evenly in the logarithm of odds, which resolves 99 % and 99.9 %.
    shares.add(Number((100 / (1 + Math.exp(-(i / CURVE_POINTS * 14 - 7)))).toFixed(3)));
  }
  const y = [...shares].sort((a, b) => a - b);
  return {
    ...{ label, color, shape: "line" },
    x: y.map((share) => Number(percentile(sorted, share).toPrecision(6))),
    y,
  };
}

/**
 * Returns a server's steps up to the client's largest value, or to the next bound if it is near:
 * counts beyond the last bound have no position. Empty if there is no bound in this range.
 */
function within(server: ChartSeries, sorted: Float64Array): ChartSeries[] {
  const most = sorted.at(-1) as number;
  const inside = server.x.filter((bound) => bound <= most).length;
  const next = server.x[inside] ?? Infinity;
  const used = next <= most * STEP_REACH ? inside + 1 : inside;
  // The first one is zero.
  return used < 2 ? [] : [{ ...server, x: server.x.slice(0, used), y: server.y.slice(0, used) }];
}

/** The cumulative histogram of the servers; undefined if there is none that fits. */
function serverSteps(
  metrics: ServerMetricsReport | undefined,
  roles: readonly RoleName[],
): ServerSteps | undefined {
  for (const role of roles) {
    const query = { layers: OUTERMOST_FIRST };
    const figure = metrics?.roles.figure(role, query);
    const buckets = figure?.buckets;
    const total = buckets?.at(-1)?.[1] ?? 0;
    if (figure === undefined || buckets === undefined || total === 0) continue;
    const toMs = MS_PER.get(figure.unit) ?? 1;
    const finite = buckets.filter(([bound]) => bound !== "+Inf");
    const [part] = metrics?.roles.parts(role, query) ?? [];
    return {
      metric: part?.series[0]?.name ?? role,
      series: {
        ...{ label: "server", color: "server", shape: "steps" },
        x: [0, ...finite.map(([bound]) => Number(bound) * toMs)],
        y: [0, ...finite.map(([, count]) => count / total * 100)],
      },
    };
  }
  return undefined;
}
