import type { Bounds } from "../../measurement/own_error/bounded_statistics.ts";
import type { MeasurementError } from "../../measurement/own_error/measurement_error.ts";
import type { SamplingErrors } from "../../measurement/sampling/sampling_errors.ts";
import { UNBOUNDED, upperBound } from "../../core/statistics/unbounded.ts";
import { gpuSeriesNamed } from "./gpu_figure.ts";
import {
  type JudgedServers,
  selectorText,
  seriesNamed,
  type ServerFigures,
  serverStatistic,
} from "./server_figure.ts";
import type { Operator, Slo } from "./slo.ts";
import type { TruthFigure } from "./truth_figure.ts";
import { decimalUnitOf, type Unit, unitOf, unitRatio, unitText } from "./unit.ts";

/** The statistics of a client metric. */
export interface ClientFigures {
  readonly unit: string;
  /** By their names; a metric of one value has it as `avg`. */
  readonly stats: Readonly<Record<string, number>>;
}

/** A run as gates see it. */
export interface JudgedRun {
  /** By tags. */
  readonly client: ReadonlyMap<string, ClientFigures>;
  /** undefined if servers' metrics were not collected. */
  readonly server: JudgedServers | undefined;
  /** Values of each GPU, and of all of a maker; undefined if GPU telemetry was not collected. */
  readonly gpu?: readonly ServerFigures[] | undefined;
  /** Values that servers report about themselves; undefined if they were not evaluated. */
  readonly truth?: ReadonlyMap<string, TruthFigure> | undefined;
  /** Client error bounds of statistics by the tags of their metrics; empty if not measured. */
  readonly bounds: MeasurementError["metrics"];
  /** Confidence intervals of statistics by the tags of their metrics; missing if they are not known. */
  readonly sampling?: SamplingErrors;
  /** Metrics whose values decide no objective, by tag, and the reason; missing for none. */
  readonly undecided?: ReadonlyMap<string, string>;
}

/** The outcome of a gate. */
export interface GateResult {
  readonly kind: "slo" | "regression";
  readonly name: string;
  /** Condition of the objective: `< 500 ms`. */
  readonly condition: string;
  /** Measured value: `111 ms`. */
  readonly found: string;
  readonly met: boolean;
  /** Whether the client's own error could have changed the verdict. */
  readonly doubtful: boolean;
  /** Whether another run like this one would give the same verdict, as far as that is known. */
  readonly conclusive: boolean;
  /** Whether it is not met because the run is damaged or partial; absent for other reasons. */
  readonly isDamaged?: boolean;
  /** Requests that would make it conclusive, about; undefined if it is, or that is not known. */
  readonly requestsNeeded?: number | undefined;
  /** Additional note for the reader; undefined for none. */
  readonly remark: string | undefined;
  /** The values, for files. */
  readonly figures: Readonly<Record<string, number | string>>;
}

/**
 * Checks a run against objectives. The value decides whether one is met; one without a value is not met.
 * An objective is inconclusive where the confidence interval, widened by the client's own error, contains
 * its limit.
 */
export function judgeSlos(slos: readonly Slo[], run: JudgedRun): GateResult[] {
  return slos.map((slo) => judge(slo, run));
}

/**
 * Whether gates let a run pass.
 * @param failsInconclusive whether an inconclusive one fails it
 */
export function gatesPass(
  gates: readonly (Pick<GateResult, "met"> & Partial<Pick<GateResult, "conclusive">>)[],
  failsInconclusive = false,
): boolean {
  return gates.every(({ conclusive, met }) => met && !(failsInconclusive && conclusive === false));
}

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
  /** Number of requests from which the value is computed. */
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

function judge(slo: Slo, run: JudgedRun): GateResult {
  const found = foundFigure(slo, run);
  const { ratio, unit } = shownUnit(
    slo.unit,
    found.unit,
    slo.source === "gpu" ? decimalUnitOf : unitOf,
  );
  const threshold = slo.threshold;
  const condition = `${slo.operator} ${threshold} ${unit}`.trim();
  const head = { kind: "slo" as const, name: slo.name, condition };
  const asked = {
    "source": slo.source,
    "metric": slo.metric + selectorText(slo.selector ?? []),
    "statistic": slo.statistic,
    "operator": slo.operator,
    "threshold": threshold,
    "unit": unit,
  };
  const remarks = found.remark === undefined ? [] : [found.remark];
  if (found.value === undefined || ratio === undefined) {
    if (ratio === undefined) remarks.push(`is in ${found.unit || "no unit"}, not in ${slo.unit}`);
    return {
      ...head,
      found: "no value",
      met: false,
      doubtful: false,
      conclusive: true,
      remark: remarks.join("; ") || undefined,
      figures: asked,
    };
  }
  const value = found.value / ratio;
  const scaled = (ends: Found["bounds"]): number[] | undefined =>
    ends?.map((end) => upperBound(end) / ratio);
  const [bounds, sampling] = [scaled(found.bounds), scaled(found.sampling)];
  const isMet = holds(value, slo.operator, threshold);
  const changes = (ends: readonly number[] | undefined): boolean =>
    ends?.some((end) => holds(end, slo.operator, threshold) !== isMet) ?? false;
  const isUnmeasured = slo.source === "client" && isErrorUnknown(found.unit, run);
  const doubtful = isUnmeasured || changes(bounds);
  const possible = widened(value, sampling, bounds);
  const undecided = slo.source === "client" ? run.undecided?.get(slo.metric) : undefined;
  const conclusive = !isUnmeasured && found.isLate !== true && !changes(possible) &&
    undecided === undefined;
  const requestsNeeded = changes(sampling)
    ? neededRequests(value, sampling, threshold, found.samples)
    : undefined;
  if (isUnmeasured) remarks.push(ERROR_UNKNOWN);
  if (undecided !== undefined) remarks.push(undecided);
  if (!conclusive && undecided === undefined && possible !== undefined) {
    // No value of a run is negative, whatever its error.
    remarks.push(`${rangeText(possible.map((end) => Math.max(0, end)), unit)} is possible`);
    if (requestsNeeded !== undefined) {
      remarks.push(`about ${threeDigits(requestsNeeded)} requests are needed`);
    }
  } else if (bounds !== undefined && !isMet) {
    const error = Math.max(...bounds.map((bound) => Math.abs(bound - value)));
    if (Number.isFinite(error)) remarks.push(`client error at most ${withUnit(error, unit)}`);
  }
  return {
    ...head,
    found: `${tellingDigits(value, slo)} ${unit}`.trim(),
    met: isMet,
    ...{ doubtful, conclusive, requestsNeeded },
    remark: remarks.join("; ") || undefined,
    figures: {
      ...asked,
      "value": value,
      ...(possible === undefined
        ? {}
        : { "lower": possible[0] as number, "upper": Math.min(possible[1] as number, UNBOUNDED) }),
    },
  };
}

/** Confidence interval, each end moved by how far the client may have shifted the value. */
function widened(
  value: number,
  sampling: readonly number[] | undefined,
  bounds: readonly number[] | undefined,
): number[] | undefined {
  if (sampling === undefined && bounds === undefined) return undefined;
  const [low = value, high = value] = sampling ?? [];
  const [least = value, most = value] = bounds ?? [];
  return [low - (value - least), high + (most - value)];
}

/**
 * Requests with which the interval would end at the threshold: its width shrinks with the root of their
 * number.
 */
function neededRequests(
  value: number,
  [lower = NaN, upper = NaN]: readonly number[] = [],
  threshold: number,
  samples: number | undefined,
): number | undefined {
  const half = threshold > value ? upper - value : value - lower;
  const needed = Math.ceil((samples ?? NaN) * (half / Math.abs(threshold - value)) ** 2);
  return Number.isFinite(needed) ? needed : undefined;
}

/** Text if it is unknown whether the client changed a verdict. */
export const ERROR_UNKNOWN = "the client's own error was not measured";

/** Whether the client may have shifted values of a unit by an unknown amount. */
export function isErrorUnknown(unit: string, { bounds }: JudgedRun): boolean {
  return bounds.size === 0 && (unitOf(unit)?.dimension.includes("time") ?? false);
}

/** Returns a range such as `75.3 to 102 ms`, or `75.3 ms or more` if the other end is unknown. */
function rangeText([lower = NaN, upper = NaN]: readonly number[], unit: string): string {
  return Number.isFinite(upper)
    ? `${threeDigits(lower)} to ${withUnit(upper, unit)}`
    : `${withUnit(lower, unit)} or more`;
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
  const samples = client.get(metric)?.stats["count"] ?? client.get("request_count")?.stats["avg"];
  return {
    ...(error === undefined ? {} : { bounds: [error.lower, error.upper] }),
    ...(interval === undefined ? {} : { sampling: [interval.lower, interval.upper] }),
    ...(samples === undefined ? {} : { samples }),
  };
}

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

/** The unit that is shown, and how many of the metric's own it is; undefined if they do not fit. */
function shownUnit(
  written: string,
  own: string,
  read: (text: string) => Unit | undefined,
): { ratio: number | undefined; unit: string } {
  if (written === "") return { ratio: 1, unit: unitText(own) };
  const [writtenUnit, ownUnit] = [read(written), read(own)];
  if (writtenUnit !== undefined && ownUnit !== undefined) {
    return { ratio: unitRatio(writtenUnit, ownUnit), unit: written };
  }
  // A share is often said to be without a unit.
  if (own === "" && writtenUnit?.dimension === "share") {
    return { ratio: writtenUnit.factor, unit: written };
  }
  return { ratio: own === "" || written === own ? 1 : undefined, unit: written };
}

/** Whether a value meets a threshold. */
export function holds(value: number, operator: Operator, threshold: number): boolean {
  switch (operator) {
    case "<":
      return value < threshold;
    case "<=":
      return value <= threshold;
    case ">":
      return value > threshold;
    case ">=":
      return value >= threshold;
  }
}

/** Returns a value with enough digits to show on which side of the threshold it is. */
export function tellingDigits(value: number, { threshold }: Pick<Slo, "threshold">): string {
  const side = Math.sign(value - threshold);
  const short = threeDigits(value);
  if (Math.sign(Number(short.replaceAll(",", "")) - threshold) === side) return short;
  for (let digits = 4; digits < 17; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.sign(rounded - threshold) === side) return String(rounded);
  }
  return String(value);
}

/** A value with its unit: `111 ms`, `0.1 %`, `0.95`. */
function withUnit(value: number, unit: string): string {
  return `${threeDigits(value)} ${unit}`.trim();
}

/** At least three significant digits, never an exponent where people do not expect one. */
export function threeDigits(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return value.toExponential(2);
  if (size >= 100) return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
  return String(Number(value.toPrecision(3)));
}
