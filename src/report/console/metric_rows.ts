import { UNBOUNDED } from "../../core/statistics/unbounded.ts";
import { distributionOf, figuresOf } from "../../measurement/metrics/metric_results.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import {
  BOUNDED_STATISTICS,
  type BoundedStatistic,
  type Bounds,
  type Cell,
  PERCENTILES,
} from "../../measurement/own_error/bounded_statistics.ts";
import { type CellVerdict, cellVerdict } from "../../measurement/sampling/cell_verdict.ts";
import { MIN_BEYOND } from "../../measurement/sampling/proof_limits.ts";
import { judgedWindow, type ShownWindow } from "../model/shown_window.ts";
import { wholeNumber } from "./number_text.ts";
import { repeatsFirstToken } from "./repeats_first_token.ts";
import { repeatsPlainTime } from "./repeats_plain_time.ts";

/** A statistic of a main metric, with its errors. */
export interface MetricCell {
  readonly value: number;
  /** undefined if no interval is known. */
  readonly verdict: CellVerdict | undefined;
  /** Half the width of its confidence interval, as text: `6.1 %`; empty if there is none. */
  readonly spread: string;
  /** Upper bound of the client's error as a fraction of the value; undefined if not measured. */
  readonly clientShare: number | undefined;
  /** Why it is not valid; empty if it is. */
  readonly reason: string;
}

/** A main metric of a run. */
export interface MetricRow {
  readonly tag: MetricTag;
  readonly label: string;
  /** Unit; empty if the label includes it. */
  readonly unit: string;
  /** Short definition. */
  readonly meaning: string;
  /** A metric of one value has it as `avg`. */
  readonly cells: Readonly<Partial<Record<BoundedStatistic, MetricCell>>>;
}

const ROWS: readonly (readonly [tag: MetricTag, label: string, unit: string, meaning: string])[] = [
  ["time_to_first_token", "TTFT", "ms", "time to first token"],
  ["effective_time_to_first_token", "TTFT+queue", "ms", "TTFT from the intended start"],
  ["time_to_first_output_token", "TTFO", "ms", "time to first token after reasoning"],
  ["inter_token_latency", "ITL", "ms", "time between tokens, mean of each request"],
  ["request_latency", "latency", "ms", "start to last token"],
  ["effective_latency", "latency+queue", "ms", "latency from the intended start"],
  ["image_latency", "per image", "ms", "latency by images of a request"],
  ["image_throughput", "images/s", "", "images of all requests"],
  ["output_token_throughput", "tokens/s out", "", "all streams together"],
  ["tokens_per_gpu", "tokens/s/GPU", "", "tokens/s out by stated GPUs"],
  ["request_throughput", "requests/s", "", "completed in the window"],
  ["interactivity", "tokens/s/user", "", "tokens after the first by decode time, pooled"],
  ["goodput", "good/s", "", "requests that meet all limits"],
];

/** The main metrics of a run that the window has; none twice under two names. */
export function metricRows(shown: ShownWindow): MetricRow[] {
  const { results } = shown;
  return ROWS.filter(([tag]) =>
    tag === "time_to_first_output_token"
      ? !repeatsFirstToken(results)
      : !repeatsPlainTime(results, tag)
  ).flatMap(([tag, label, unit, meaning]) => {
    const cells = cellsOf(tag, shown);
    return cells === undefined ? [] : [{ tag, label, unit, meaning, cells }];
  });
}

function cellsOf(tag: MetricTag, shown: ShownWindow): MetricRow["cells"] | undefined {
  const result = shown.results.get(tag);
  if (result === undefined) return undefined;
  const figures = figuresOf(result);
  const window = judgedWindow(shown);
  return Object.fromEntries(BOUNDED_STATISTICS.flatMap((statistic) => {
    const value = Number(figures[statistic] ?? NaN);
    if (Number.isNaN(value)) return [];
    const cell: Cell = [tag, statistic];
    const verdict = cellVerdict(window, cell);
    const clientShare = clientShareOf(value, shown.measurementError?.metrics.get(tag)?.[statistic]);
    return [[statistic, {
      ...{ value, verdict, clientShare },
      spread: spreadText(value, shown.sampling.get(tag)?.[statistic]),
      reason: reasonOf({ verdict, value, clientShare }, cell, shown),
    }]];
  }));
}

function clientShareOf(value: number, bound: Bounds | undefined): number | undefined {
  if (bound === undefined || !(value > 0)) return undefined;
  return Math.max(0, value - bound.lower, bound.upper - value) / value;
}

/** Returns half the width of an interval as a fraction of the value; `?` if an end is unknown. */
function spreadText(value: number, interval: Bounds | undefined): string {
  if (interval === undefined) return "";
  const share = spreadShare(value, interval);
  return share === undefined ? "?" : percentText(share);
}

function spreadShare(value: number, { lower, upper }: Bounds): number | undefined {
  if (upper >= UNBOUNDED || (lower <= 0 && value > 0)) return undefined;
  const share = Math.max(upper - value, value - lower) / Math.abs(value);
  return Number.isFinite(share) ? share : undefined;
}

function percentText(share: number): string {
  const percent = share * 100;
  return `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}

/** An upper bound of the client's error, rounded up: `< 3.6 %`; `?` if it exceeds the value. */
export function clientBoundText(share: number): string {
  if (!(share <= 1)) return "?";
  const percent = share * 100;
  return percent < 0.1
    ? "< 0.1 %"
    : `< ${percent < 10 ? (Math.ceil(percent * 10) / 10).toFixed(1) : Math.ceil(percent)} %`;
}

function reasonOf(
  { clientShare, value, verdict }: Pick<MetricCell, "clientShare" | "value" | "verdict">,
  [tag, statistic]: Cell,
  shown: ShownWindow,
): string {
  if (verdict === undefined || verdict === "valid") return "";
  if (verdict !== "not_proven") {
    const text = clientBoundText(clientShare ?? Infinity);
    return `client error ${text === "?" ? "above 100 %" : `up to ${text.slice(2)}`}`;
  }
  if (shown.measurementError === undefined) return "the client error was not measured";
  const rank = PERCENTILES.find(([name]) => name === statistic)?.[1];
  const count = distributionOf(shown.results, tag)?.count ?? 0;
  if (rank !== undefined && count * (1 - rank / 100) < MIN_BEYOND) {
    const needed = Math.ceil(MIN_BEYOND / (1 - rank / 100) - 1e-9);
    return `needs ${wholeNumber(needed)} requests, there are ${wholeNumber(count)}`;
  }
  const interval = shown.sampling.get(tag)?.[statistic];
  const spread = interval === undefined ? undefined : spreadShare(value, interval);
  return spread === undefined
    ? "the confidence interval has no bound"
    : `confidence interval ±${percentText(spread)}`;
}
