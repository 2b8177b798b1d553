/** A run as MLflow has runs: pure functions of its report. */

import type { MlflowPlan } from "../../config/plan/systems_plan.ts";
import { VERSION } from "../../config/plan/version.ts";
import { isExported, metricObject } from "../../report/export/metric_object.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import type { KeyValue, MetricValue } from "./mlflow_client.ts";

/** Longest value of a parameter that every supported version of the server takes. */
const MAX_PARAM_LENGTH = 6000;
/** Longest value of a tag. */
const MAX_TAG_LENGTH = 5000;

/** The settings, each under its path: `endpoint.streaming`, `phases.0.concurrency`. */
export function mlflowParams({ inputConfig, ownConfig, seed }: ProfileReport): KeyValue[] {
  return [
    ...leaves(inputConfig, []),
    ...leaves({ ...ownConfig, "seed": seed }, []),
  ].map(([path, value]) => ({
    key: path.map(keyText).join("."),
    value: cut(typeof value === "string" ? value : JSON.stringify(value), MAX_PARAM_LENGTH),
  }));
}

function* leaves(value: unknown, path: readonly string[]): Generator<[readonly string[], unknown]> {
  if (typeof value !== "object" || value === null) {
    if (value !== undefined && value !== "") yield [path, value];
    return;
  }
  for (const [key, part] of Object.entries(value)) yield* leaves(part, [...path, key]);
}

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ "<": "below", "<=": "at most", ">": "above", ">=": "at least", "%": "percent" },
};

/** A condition without characters that keys may not have: what is above a limit is not below it. */
function inWords(condition: string): string {
  return condition.replace(/[<>]=?|%/g, (sign) => OPERATORS[sign] as string);
}

/** Characters that keys may have; the others are not worth a failure. */
function keyText(text: string): string {
  return text.replace(/[^\w\-. :/]/g, "_");
}

/**
 * The results: `time_to_first_token.p99`, in the units of the other files; the one value of a metric
 * of the whole run stands under its tag alone.
 */
export function mlflowMetrics(report: ProfileReport): MetricValue[] {
  const timestamp = Number(report.endEpochNs / 1_000_000n);
  const values: [key: string, value: number][] = [];
  for (const result of report.results.values()) {
    if (!isExported(result)) continue;
    const { tag } = result.metric;
    const { unit: _, ...figures } = metricObject(result);
    for (const [statistic, value] of Object.entries(figures)) {
      values.push(["value" in result ? tag : `${tag}.${statistic}`, Number(value)]);
    }
  }
  const { succeeded, failed, cancelled, cancelledOnPurpose } = report.requests;
  const outcomes = {
    ...{ succeeded, failed, cancelled },
    ...(cancelledOnPurpose > 0 ? { "cancelled_on_purpose": cancelledOnPurpose } : {}),
  };
  for (const [outcome, count] of Object.entries(outcomes)) {
    values.push([`requests.${outcome}`, count]);
  }
  for (const { name, condition, met } of report.gates) {
    values.push([keyText(`gate.${name} ${inWords(condition)}`), met ? 1 : 0]);
  }
  return values.filter(([, value]) => Number.isFinite(value))
    .map(([key, value]) => ({ key, value, timestamp, step: 0 }));
}

/** What runs are looked for by, and what the user gave. */
export function mlflowTags(report: ProfileReport, plan: MlflowPlan): KeyValue[] {
  const tags: Readonly<Record<string, string | undefined>> = {
    "mlflow.source.name": "inferometer",
    "mlflow.source.type": "LOCAL",
    "mlflow.parentRunId": plan.parentRunId,
    "inferometer.version": VERSION,
    "inferometer.benchmark_id": report.benchmarkId,
    "inferometer.model": report.model,
    "inferometer.command": report.cliCommand,
    "inferometer.complete": String(report.isComplete),
    "inferometer.verdict": report.measurementError?.verdict,
    ...Object.fromEntries(report.tags.map(([name, value]) => [keyText(name), value])),
    ...Object.fromEntries(plan.tags),
  };
  return Object.entries(tags).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: cut(value, MAX_TAG_LENGTH) }]
  );
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 3).toWellFormed()}...`;
}
