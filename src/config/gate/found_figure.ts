import { ANSWER_METRICS } from "../../measurement/answers/answer_metrics.ts";
import { SESSION_METRICS } from "../../measurement/metrics/session_metrics.ts";
import type { Bounds } from "../../measurement/own_error/bounded_statistics.ts";
import { gpuSeriesNamed } from "./gpu_figure.ts";
import type { JudgedRun } from "./judged_run.ts";
import { seriesNamed, type ServerFigures, serverStatistic } from "./server_figure.ts";
import type { Slo } from "./slo.ts";
import { threeDigits } from "./value_text.ts";

/** The metrics that stand for others where no request had objectives of its own. */
const WITHOUT_OBJECTIVES: Readonly<Record<string, string>> = {
  "goodput": "request_throughput",
  "good_request_count": "request_count",
};

const EVERY_REQUEST_IS_GOOD = "without --goodput every successful request is good";

/** A value of the run, or why there is none. */
export interface Found {
  readonly value?: number;
  readonly unit: string;
  readonly remark?: string;
  /** Whether it is of a page that came before the start or after the end. */
  readonly isLate?: boolean;
  /** Between which values the true one lies, by the client's own error. */
  readonly bounds?: readonly [lower: number, upper: number];
  /** Confidence interval. */
  readonly sampling?: readonly [lower: number, upper: number];
  /** Number of requests from which the value is computed; absent if it is not of requests. */
  readonly samples?: number;
}

/** The value that an objective names; the worst of several series of a metric, or of GPUs. */
export function foundFigure(slo: Slo, run: JudgedRun): Found {
  switch (slo.source) {
    case "client":
      return clientFigure(slo, run);
    case "server":
      return run.server === undefined
        ? { unit: "", remark: "no server metrics were collected" }
        : worstFigure(slo, seriesNamed(slo.metric, slo.selector ?? [], run.server), "series");
    case "truth":
      return truthFigure(slo, run);
    case "gpu":
      return run.gpu === undefined
        ? {
          unit: "",
          remark: "there was no telemetry of GPUs: name exporters with --gpu-telemetry",
        }
        : worstFigure(slo, gpuSeriesNamed(slo.metric, run.gpu), "GPUs");
  }
}

function truthFigure({ metric }: Slo, { truth }: JudgedRun): Found {
  const { reason, unit = "", value } = truth?.get(metric) ?? {};
  return value === undefined
    ? { unit, remark: reason ?? `the run has no ${metric}` }
    : { value, unit };
}

function clientFigure({ metric, statistic }: Slo, run: JudgedRun): Found {
  const figures = run.client.get(metric);
  const substitute = WITHOUT_OBJECTIVES[metric];
  if (figures === undefined && substitute !== undefined) {
    const other = run.client.get(substitute);
    if (other !== undefined) {
      return {
        value: other.stats["avg"] as number,
        unit: other.unit,
        remark: EVERY_REQUEST_IS_GOOD,
        ...rangesOf(run, substitute, "avg"),
      };
    }
  }
  const failed = run.client.get("request_error_rate")?.stats["avg"];
  if (figures === undefined && metric === "good_request_fraction" && failed !== undefined) {
    return { value: 1 - failed / 100, unit: "ratio", remark: EVERY_REQUEST_IS_GOOD };
  }
  const value = figures?.stats[statistic];
  if (figures === undefined || value === undefined || Number.isNaN(value)) {
    return { unit: figures?.unit ?? "", remark: `the run has no ${metric}` };
  }
  return { value, unit: ownUnit(figures.unit, statistic), ...rangesOf(run, metric, statistic) };
}

/** Returns the known client error of a value. */
function rangesOf(
  { bounds, client, sampling }: JudgedRun,
  metric: string,
  statistic: string,
): Pick<Found, "bounds" | "sampling" | "samples"> {
  const rangeIn = (
    known: ReadonlyMap<string, Readonly<Partial<Record<string, Bounds>>>> | undefined,
  ) => known?.get(metric)?.[statistic];
  const [error, interval] = [rangeIn(bounds), rangeIn(sampling)];
  const samples = requestsOf(client, metric);
  return {
    ...(error === undefined ? {} : { bounds: [error.lower, error.upper] }),
    ...(interval === undefined ? {} : { sampling: [interval.lower, interval.upper] }),
    ...(samples === undefined ? {} : { samples }),
  };
}

/**
 * Returns the number of requests with which the width of the metric's interval shrinks: that of values
 * of sessions with their requests, that of drift with the sample of `--verify`, and not with requests.
 */
function requestsOf(client: JudgedRun["client"], metric: string): number | undefined {
  if (metric === ANSWER_METRICS.drift.tag) return undefined;
  const own = OF_SESSIONS.has(metric) ? undefined : client.get(metric)?.stats["count"];
  return own ?? client.get("request_count")?.stats["avg"];
}

const OF_SESSIONS: ReadonlySet<string> = new Set(SESSION_METRICS.map(({ tag }) => tag));

/** Returns the series that is furthest from meeting the objective. */
function worstFigure(
  { metric, statistic, operator }: Slo,
  { series, missing }: { readonly series: readonly ServerFigures[]; readonly missing: string },
  noun: string,
): Found {
  const values = series.flatMap((one) => {
    const value = serverStatistic(one, statistic);
    return value === undefined || Number.isNaN(value) ? [] : [{ value, one }];
  });
  const [first, ...others] = values;
  if (first === undefined) {
    const known = series.flatMap(({ stats }) => Object.keys(stats));
    const remark = series.length === 0
      ? missing
      : `"${metric}" has no ${statistic}, but ${[...new Set(known)].join(", ")}`;
    return { unit: "", remark };
  }
  const isLower = operator.startsWith(">");
  const worst = others.reduce(
    (worst, other) =>
      (isLower ? other.value < worst.value : other.value > worst.value) ? other : worst,
    first,
  );
  const { unit, instances = 1, lateSeconds } = worst.one;
  const remarks = [
    ...(others.length === 0 ? [] : [`worst of ${values.length} ${noun}: ${worst.one.series}`]),
    ...(instances === 1 ? [] : [`over ${instances} instances`]),
    ...(lateSeconds === undefined ? [] : [lateText(lateSeconds)]),
  ];
  return {
    value: worst.value,
    unit: ownUnit(unit, statistic),
    isLate: lateSeconds !== undefined,
    ...(remarks.length === 0 ? {} : { remark: remarks.join("; ") }),
  };
}

/** Remark on a run that was too short for a scrape of its own. */
function lateText(seconds: number): string {
  const when = seconds < 0 ? "before the end" : "after the end";
  return `no scrape fell between start and end: value of the page ${
    threeDigits(Math.abs(seconds))
  } s ${when}`;
}

/** The unit of a statistic: rates are per second, and counts have none. */
function ownUnit(unit: string | null, statistic: string): string {
  if (statistic === "count") return "";
  if (statistic === "count_rate") return "/s";
  return statistic.includes("rate") ? `${unit ?? ""}/s` : unit ?? "";
}
