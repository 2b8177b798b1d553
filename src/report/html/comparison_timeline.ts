/** Charts over time of compared runs: each run starts at its first request. */

import type { Axis, Chart, ChartSeries, ChartValue } from "../../core/chart/chart.ts";
import type { Comparison } from "../../measurement/compare/comparison.ts";
import type { ServerRole } from "../model/server_timeline.ts";
import {
  type ComparedRun,
  type ComparedSide,
  type ComparisonView,
  sideColor,
} from "./comparison_view.ts";
import { differenceFinding } from "./difference_findings.ts";
import { MAX_BINS, percentilesOverTime, TimeBins } from "./time_bins.ts";
import { valueAxis } from "./value_axis.ts";

/** Requests that a bin has on average, so that a rate is no comb. */
const REQUESTS_PER_BIN = 8;
const MIN_BINS = 20;

/** A chart before it gets what all of them have. */
type Row = Omit<Chart, "x" | "spans" | "marks">;

/** Rates of a run in each bin; null after its end. */
interface RunRates {
  readonly completed: readonly ChartValue[];
  readonly failed: readonly ChartValue[];
  readonly inFlight: readonly ChartValue[];
  readonly tokens: readonly ChartValue[];
}

/** The charts from top to bottom; those without data are left out. */
export function comparisonTimeline({ sides, comparisons }: ComparisonView): Chart[] {
  const end = Math.max(...sides.map(endOf));
  if (!(end > 0)) return [];
  const requests = Math.min(
    ...sides.flatMap(({ runs }) => runs.map(({ sample }) => sample.startSeconds.length)),
  );
  const wanted = Math.min(MAX_BINS, Math.max(MIN_BINS, requests / REQUESTS_PER_BIN));
  const { edges } = new TimeBins(0, end, wanted);
  const rates = sides.map(({ runs }) => runs.map((run) => ratesOf(run, end, wanted)));
  const overlaid = (name: keyof RunRates): ChartSeries[] =>
    sides.map(({ label }, index) => {
      const values = meanOf((rates[index] as RunRates[]).map((run) => run[name]));
      // The last value holds until the last edge.
      const y = [...values, values.at(-1) ?? null];
      return { label, color: sideColor(index), shape: "steps", x: edges, y };
    });
  const rows = [
    rateRow(comparisons, "requests", "requests/s", overlaid("completed")),
    {
      id: "in-flight",
      title: "Requests in flight",
      caption: "Requests in flight over time, without failed requests",
      y: valueAxis("in flight", "requests"),
      series: overlaid("inFlight"),
    },
    rateRow(comparisons, "tokens", "tokens/s out", overlaid("tokens")),
    latencyRow(sides, comparisons, "time_to_first_token", "TTFT", "ttft"),
    latencyRow(sides, comparisons, "inter_token_latency", "ITL", "itl"),
    latencyRow(sides, comparisons, "request_latency", "latency", "latency"),
    failuresRow(comparisons, overlaid("failed")),
    serverRow(sides, "running", "Running on the server", "requests"),
    serverRow(sides, "waiting", "Waiting on the server", "requests"),
    serverRow(sides, "kvUsage", "KV cache in use", "%"),
    serverRow(sides, "gpuPower", "GPU power", "W"),
  ].filter((row) => row !== undefined);
  const x: Axis = {
    ...{ label: "since the first request began", unit: "s", scale: "linear", min: 0, max: end },
  };
  return rows.map((row) => ({ ...row, id: `time-${row.id}`, x, spans: [], marks: [] }));
}

/** When the last of a side's runs was over, in seconds. */
function endOf({ runs }: ComparedSide): number {
  return Math.max(0, ...runs.map(runEnd));
}

function runEnd({ sample: { startSeconds, endSeconds } }: ComparedRun): number {
  return endSeconds.reduce(
    (last, end) => end > last ? end : last,
    startSeconds.at(-1) ?? 0,
  );
}

function ratesOf(run: ComparedRun, end: number, wanted: number): RunRates {
  const { startSeconds, endSeconds, columns } = run.sample;
  const [completed, failed, inFlight, tokens] = Array.from(
    { length: 4 },
    () => new TimeBins(0, end, wanted),
  ) as [TimeBins, TimeBins, TimeBins, TimeBins];
  const outputs = columns.get("output_sequence_length");
  const ttft = columns.get("time_to_first_token");
  startSeconds.forEach((from, row) => {
    const to = endSeconds[row] as number;
    if (Number.isNaN(to)) {
      failed.add(from, 1);
      return;
    }
    completed.add(to, 1);
    inFlight.spread(from, to, to - from);
    const output = outputs?.[row] ?? NaN;
    if (!(output > 0)) return;
    // The first token comes at once, the others evenly from there on; a whole reply at its end.
    const first = Math.min(to, from + (ttft?.[row] ?? NaN) / 1e3);
    if (Number.isNaN(first)) tokens.add(to, output);
    else {
      tokens.add(first, 1);
      tokens.spread(first, to, output - 1);
    }
  });
  const over = runEnd(run);
  const { edges } = completed;
  const perSecond = (bins: TimeBins): ChartValue[] =>
    bins.perSecond(over).map((value, bin) => (edges[bin] as number) < over ? value : null);
  return {
    completed: perSecond(completed),
    failed: perSecond(failed),
    inFlight: perSecond(inFlight),
    tokens: perSecond(tokens),
  };
}

/** Returns the mean of the runs that have not ended. */
function meanOf(runs: readonly (readonly ChartValue[])[]): ChartValue[] {
  return (runs[0] ?? []).map((_, bin) => {
    const values = runs.map((run) => run[bin] ?? null).filter((value) => value !== null);
    return values.length === 0
      ? null
      : values.reduce((sum, value) => sum + value, 0) / values.length;
  });
}

function hasAny(series: readonly ChartSeries[]): boolean {
  return series.some(({ y }) => y.some((value) => (value ?? 0) > 0));
}

function rateRow(
  comparisons: readonly Comparison[],
  id: string,
  name: string,
  series: readonly ChartSeries[],
): Row | undefined {
  if (!hasAny(series)) return undefined;
  return {
    id,
    title: differenceFinding(comparisons, name) || name,
    caption: id === "tokens"
      ? "Output tokens per second, each reply's spread evenly from its first to its last"
      : "Requests completed per second",
    y: valueAxis(name, name.replace(" out", "")),
    series,
  };
}

function failuresRow(
  comparisons: readonly Comparison[],
  series: readonly ChartSeries[],
): Row | undefined {
  if (!hasAny(series)) return undefined;
  return {
    id: "failed",
    title: differenceFinding(comparisons, "error rate") || "Failed requests",
    caption: "Failed requests per second, by the time at which they started",
    y: valueAxis("failed", "requests/s"),
    series,
  };
}

function latencyRow(
  sides: readonly ComparedSide[],
  comparisons: readonly Comparison[],
  tag: string,
  name: string,
  id: string,
): Row | undefined {
  const series = sides.flatMap((side, index): ChartSeries[] => {
    const { times, values } = overTime(side, tag);
    if (values.length === 0) return [];
    const { x, p50, p99 } = percentilesOverTime(times, values, 0, endOf(side));
    const color = sideColor(index);
    return [
      { label: `${side.label} p50`, color, shape: "line", x, y: p50 },
      { label: `${side.label} p99`, color, shape: "line", isDashed: true, x, y: p99 },
    ];
  });
  if (series.length === 0) return undefined;
  const findings = ["p50", "p99"].map((p) => differenceFinding(comparisons, `${name} ${p}`));
  return {
    id,
    title: findings.filter((finding) => finding !== "").join("; ") || name,
    caption: `${name} of the requests that started at a time: median, and p99 dashed`,
    y: valueAxis(name, "ms"),
    series,
  };
}

function overTime({ runs }: ComparedSide, tag: string) {
  const times: number[] = [];
  const values: number[] = [];
  for (const { sample } of runs) {
    sample.columns.get(tag)?.forEach((value, row) => {
      if (Number.isNaN(value)) return;
      times.push(sample.startSeconds[row] as number);
      values.push(value);
    });
  }
  return { times: Float64Array.from(times), values: Float64Array.from(values) };
}

function serverRow(
  sides: readonly ComparedSide[],
  role: ServerRole,
  name: string,
  unit: string,
): Row | undefined {
  const factor = role === "kvUsage" ? 100 : 1;
  const series = sides.flatMap((side, index) => {
    const end = endOf(side) * 1e9;
    const lines = side.runs.flatMap(({ timeline }) => timeline.filter((one) => one.role === role));
    return lines.flatMap(({ timesNs, values }, at): ChartSeries[] => {
      const rows = [...timesNs.keys()].filter((row) => {
        const time = timesNs[row] as number;
        return time >= 0 && time <= end;
      });
      return rows.length === 0 ? [] : [{
        label: lines.length === 1 ? side.label : `${side.label} ${at + 1}`,
        color: sideColor(index),
        shape: "steps",
        x: rows.map((row) => (timesNs[row] as number) / 1e9),
        y: rows.map((row) => (values[row] as number) * factor),
      }];
    });
  });
  if (series.length === 0) return undefined;
  return {
    id: role.toLowerCase(),
    title: name,
    caption: `${name}, by the servers' metrics`,
    y: valueAxis(name.split(" ")[0]?.toLowerCase() ?? name, unit),
    series,
  };
}
