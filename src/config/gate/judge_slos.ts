import { UNBOUNDED, upperBound } from "../../core/statistics/unbounded.ts";
import { type Found, foundFigure } from "./found_figure.ts";
import { isErrorUnknown, type JudgedRun } from "./judged_run.ts";
import { selectorText } from "./server_figure.ts";
import type { Operator, Slo } from "./slo.ts";
import { rangeText, tellingDigits, threeDigits, withUnit } from "./value_text.ts";
import { decimalUnitOf, type Unit, unitOf, unitRatio, unitText } from "./unit.ts";

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
