/**
 * The results of a run in Prometheus' text format, for the textfile collector of node_exporter: a
 * pure function of the report. Distributions are summaries, whose quantiles 0 and 1 are the extremes;
 * all units are base units. There are no time stamps, which the collector refuses.
 */

import { isExported } from "../../report/export/metric_object.ts";
import type { MetricResult } from "../../measurement/metrics/metric_results.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import type { LevelSummary } from "../../core/statistics/level_summary.ts";
import type { Summary } from "../../core/statistics/summarize.ts";
import { tagLabels } from "../../report/model/tag_labels.ts";
import { externalUnit, prometheusName } from "./external_unit.ts";

type Labels = Readonly<Record<string, string>>;

/** What a distribution's quantiles are called in the summary of the run. */
const QUANTILES = [
  ...[["0", "min"], ["0.5", "p50"], ["0.75", "p75"], ["0.9", "p90"]] as const,
  ...[["0.95", "p95"], ["0.99", "p99"], ["1", "max"]] as const,
] as const satisfies readonly (readonly [quantile: string, statistic: keyof Summary])[];

const LEVELS = ["avg", "min", "p50", "p90", "p99", "max"] as const satisfies readonly (
  keyof LevelSummary
)[];

/** The text of the file. */
export function textfile(report: ProfileReport): string {
  const page = new Page(labelsOf(report));
  page.family("inferometer_run_info", "gauge", "The run that the other metrics are of");
  page.sample("inferometer_run_info", 1, {
    "benchmark_id": report.benchmarkId,
    "product": USER_AGENT,
    "tokenizer": report.tokenizer,
    ...tagLabels(report.tags),
  });
  addRun(page, report);
  for (const result of report.results.values()) if (isExported(result)) addResult(page, result);
  return page.text;
}

/** What tells the runs of several files apart, and is the same in every run of a kind. */
function labelsOf({ model, endpointType, inputConfig }: ProfileReport): Labels {
  const { urls } = (inputConfig["endpoint"] ?? {}) as { urls?: readonly string[] };
  return { "model": model, "endpoint_type": endpointType, "url": (urls ?? []).join(",") };
}

function addRun(page: Page, report: ProfileReport): void {
  const seconds = (ns: bigint): number => Number(ns / 1000n) / 1e6;
  const gauge = (name: string, help: string, value: number): void => {
    page.family(`inferometer_${name}`, "gauge", help);
    page.sample(`inferometer_${name}`, value);
  };
  gauge("run_start_timestamp_seconds", "Start of the run", seconds(report.startEpochNs));
  gauge("run_end_timestamp_seconds", "End of the run", seconds(report.endEpochNs));
  gauge("run_complete", "1 if every request was sent and ended", report.isComplete ? 1 : 0);
  const { verdict } = report.measurementError ?? {};
  if (verdict !== undefined) {
    const help = "1 if the client's own error is so small that the run counts as valid";
    gauge("run_valid", help, verdict === "valid" ? 1 : 0);
  }
  const { succeeded, failed, cancelled, cancelledOnPurpose } = report.requests;
  const outcomes = {
    ...{ succeeded, failed, cancelled },
    ...(cancelledOnPurpose > 0 ? { "cancelled_on_purpose": cancelledOnPurpose } : {}),
  };
  page.family("inferometer_requests_by_outcome", "gauge", "Requests by how they ended");
  for (const [outcome, number] of Object.entries(outcomes)) {
    page.sample("inferometer_requests_by_outcome", number, { "outcome": outcome });
  }
  const failures = new Map<string, number>();
  for (const { kind, status, count } of report.errors) {
    const key = `${kind} ${status ?? ""}`;
    failures.set(key, (failures.get(key) ?? 0) + count);
  }
  if (failures.size > 0) {
    page.family("inferometer_failed_requests", "gauge", "Failed requests by the kind of failure");
  }
  for (const [key, number] of failures) {
    const [kind = "", status = ""] = key.split(" ");
    page.sample("inferometer_failed_requests", number, { "kind": kind, "status": status });
  }
  if (report.gates.length > 0) {
    page.family("inferometer_gate_met", "gauge", "1 if all objectives of the run are met");
  }
  for (const { name, condition, met } of report.gates) {
    page.sample("inferometer_gate_met", met ? 1 : 0, { "gate": `${name} ${condition}` });
  }
}

function addResult(page: Page, result: MetricResult): void {
  const { metric } = result;
  const name = prometheusName(metric);
  const { factor } = externalUnit(metric);
  if ("summary" in result) {
    const { summary } = result;
    page.family(name, "summary", metric.header);
    for (const [quantile, statistic] of QUANTILES) {
      page.sample(name, summary[statistic] * factor, { "quantile": quantile });
    }
    page.sample(`${name}_sum`, summary.sum * factor);
    page.sample(`${name}_count`, summary.count);
  } else if ("level" in result) {
    page.family(name, "gauge", `${metric.header}, weighted by time`);
    for (const statistic of LEVELS) {
      page.sample(name, result.level[statistic] * factor, { "statistic": statistic });
    }
  } else {
    page.family(name, "gauge", metric.header);
    page.sample(name, Number(result.value) * factor);
  }
}

class Page {
  readonly #common: Labels;
  readonly #lines: string[] = [];
  readonly #families = new Set<string>();

  constructor(common: Labels) {
    this.#common = common;
  }

  get text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  family(name: string, type: "gauge" | "summary", help: string): void {
    if (this.#families.has(name)) throw new RangeError(`There are two metrics ${name}`);
    this.#families.add(name);
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  }

  sample(name: string, value: number, labels: Labels = {}): void {
    const pairs = Object.entries({ ...this.#common, ...labels });
    const written = pairs.map(([key, text]) => `${key}="${labelValue(text)}"`).join(",");
    this.#lines.push(`${name}{${written}} ${numberText(value)}`);
  }
}

/** No other characters are special to the format; what could disturb a terminal is a blank. */
function labelValue(text: string): string {
  return text.toWellFormed().replace(/\p{Cc}+/gu, " ").replace(/[\\"]/g, "\\$&");
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  // Factors leave digits behind that mean nothing.
  return String(Number(value.toPrecision(15)));
}
