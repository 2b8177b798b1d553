/**
 * A run of AIPerf as pictures need it, from the files that it exported. Figures are AIPerf's own; only
 * what its summary lacks is computed from its lines.
 */

import type { PhaseSpan, RequestTable, RunView } from "../../report/html/run_view.ts";
import type { MetricResult, MetricResults } from "../../measurement/metrics/metric_results.ts";
import { LEVEL_METRICS } from "../../measurement/metrics/level_metrics.ts";
import type { Metric } from "../../measurement/metrics/metric.ts";
import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import {
  INTER_CHUNK_LATENCY,
  RECORD_METRICS,
  type RecordMetricTag,
} from "../../measurement/metrics/record_metrics.ts";
import {
  COUNT_METRICS,
  RATE_METRICS,
  SHARE_METRICS,
  TOTAL_METRICS,
} from "../../measurement/metrics/run_metrics.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import { summarize, type Summary } from "../../core/statistics/summarize.ts";
import type { LevelSummary } from "../../core/statistics/level_summary.ts";
import { unitOf, unitRatio } from "../../config/gate/unit.ts";
import {
  exportedNames,
  type JsonObject,
  modelNames,
  numbersOf,
  objectOf,
  productOf,
  readJson,
} from "./exported_files.ts";
import { endReasonOf, labelsOf, openExportedRun } from "./exported_run.ts";
import { type ExportedRequests, exportedRequests } from "./exported_requests.ts";
import { readSummary } from "./exported_secrets.ts";
import { exportedServerMetrics, exportedTimeline } from "./exported_server_metrics.ts";
import { RunFolderError } from "./run_folder.ts";
import { RUN_FILES } from "./run_files.ts";

/** A run of another program, ready to be shown. */
export interface ExportedView {
  readonly view: RunView;
  /** Summary as its file contains it. */
  readonly summaryJson: string;
  readonly summaryName: string;
  /** Contradictions between lines of requests and summary, a phrase each. */
  readonly damage: readonly string[];
}

const METRICS: readonly Metric<MetricTag>[] = [
  ...RECORD_METRICS,
  INTER_CHUNK_LATENCY,
  ...TOTAL_METRICS,
  ...LEVEL_METRICS,
  ...Object.values(COUNT_METRICS),
  ...Object.values(SHARE_METRICS),
  ...Object.values(RATE_METRICS),
];

/**
 * Opens a run of AIPerf.
 * @throws {RunFolderError} if the folder holds none, or it cannot be read
 */
export async function openExportedView(directory: string): Promise<ExportedView> {
  const names = await exportedNames(directory);
  const { summary, redact } = await readSummary(directory, names);
  const product = productOf(summary);
  if (product?.startsWith("inferometer/")) {
    throw new RunFolderError(
      `${directory} contains no records of a run: ${RUN_FILES.manifest} and records.bin ` +
        `are written by a run without --no-records`,
    );
  }
  const { damage } = await openExportedRun(directory);
  const requests = await exportedRequests(`${directory}/${names.lines}`, redact);
  const metricsPath = `${directory}/${names.serverMetrics}`;
  const scrapesPath = metricsPath.replace(/\.json$/, ".jsonl");
  const has = async (path: string): Promise<boolean> =>
    await Deno.stat(path).then(() => true, () => false);
  const phases = phasesOf(requests);
  const isPartial = names.summary === undefined;
  return {
    view: {
      report: reportOf(summary, requests, phases, { isPartial, damage }),
      baseEpochNs: requests.baseEpochNs,
      phases,
      plans: [],
      profiling: requests.profiling,
      warmup: requests.warmup,
      failures: requests.failures,
      errors: requests.errors,
      requests: requests.kept,
      serverMetrics: await has(metricsPath)
        ? exportedServerMetrics(await readJson(metricsPath))
        : undefined,
      serverTimeline: await has(scrapesPath)
        ? await exportedTimeline(scrapesPath, requests.baseEpochNs)
        : [],
      environment: [],
      source: programName(product),
      keepsRecords: false,
    },
    summaryJson: JSON.stringify(summary),
    summaryName: names.summary ?? "summary.json",
    damage,
  };
}

/** From the first start of each phase to its last end. */
function phasesOf({ warmup, profiling }: ExportedRequests): PhaseSpan[] {
  const span = (kind: PhaseSpan["kind"], { allStartNs, allEndNs }: RequestTable): PhaseSpan => ({
    kind,
    startNs: allStartNs.values.reduce((least, start) => Math.min(least, start), Infinity),
    endNs: allEndNs.values.reduce((most, end) => end > most ? end : most, -Infinity),
  });
  const last = profiling.length === 0
    ? { kind: "profiling" as const, startNs: 0, endNs: 1 }
    : span("profiling", profiling);
  const profilingSpan = { ...last, endNs: Math.max(last.endNs, last.startNs + 1) };
  if (warmup.length === 0) return [profilingSpan];
  const first = span("warmup", warmup);
  return [{ ...first, endNs: Math.min(first.endNs, profilingSpan.startNs) }, profilingSpan];
}

function reportOf(
  summary: JsonObject,
  { baseEpochNs, profiling }: ExportedRequests,
  phases: readonly PhaseSpan[],
  { isPartial, damage }: { readonly isPartial: boolean; readonly damage: readonly string[] },
): ProfileReport {
  const { startNs, endNs } = phases.at(-1) as PhaseSpan;
  const inputConfig = objectOf(summary["input_config"]) ?? {};
  const cancelled = profiling.counts("cancelled").reduce((sum, one) => sum + one, 0);
  const succeeded = profiling.contentEndNs.values.reduce(
    (sum, end) => Number.isNaN(end) ? sum : sum + 1,
    0,
  );
  const command = objectOf(summary["run_info"])?.["cli_command"] ?? summary["cli_command"];
  return {
    benchmarkId: String(summary["benchmark_id"] ?? ""),
    model: modelNames(inputConfig),
    endpointType: String(objectOf(inputConfig["endpoint"])?.["type"] ?? ""),
    results: resultsOf(summary, profiling),
    warmupResults: undefined,
    slices: [],
    errors: [],
    ...labelsOf(summary),
    requests: {
      sent: profiling.length,
      ...{ succeeded, failed: profiling.length - succeeded - cancelled, cancelled },
      // AIPerf does not tell which were cancelled on purpose.
      ...{ cancelledOnPurpose: 0, rateLimitReplies: 0, rateLimitSeconds: 0 },
      ...{ unsentArrivals: 0, retried: 0 },
    },
    clientHealth: {
      ...{ ok: true, problems: [], advice: [], loopLagMs: [], queueWaitMs: undefined },
      ...{ sendSlipMs: summarize(new Float64Array(0)), coalescedShare: NaN, cpuCores: NaN },
      ...{ cores: NaN, stalls: [] },
    },
    reconciliation: [],
    gates: [],
    wasCancelled: summary["was_cancelled"] === true,
    endedEarly: undefined,
    endReason: isPartial ? "killed" : endReasonOf(summary),
    isComplete: !isPartial && summary["is_complete"] !== false,
    startEpochNs: baseEpochNs + BigInt(Math.round(startNs)),
    endEpochNs: baseEpochNs + BigInt(Math.round(endNs)),
    tokenizer: String(objectOf(inputConfig["tokenizer"])?.["name"] ?? ""),
    notes: isPartial
      ? ["No summary file: values are computed from the record lines"]
      : damage.map((text) => `The files contradict each other: ${text}`),
    cliCommand: String(command ?? ""),
    seed: NaN,
    inputConfig,
    ownConfig: {},
    files: [],
  };
}

/** The figures of the summary; of metrics of requests that it lacks, those of the lines. */
function resultsOf(summary: JsonObject, profiling: RequestTable): MetricResults {
  const results = new Map<MetricTag, MetricResult>();
  const ofRequests = new Set<string>(RECORD_METRICS.map(({ tag }) => tag));
  const levels = new Set<string>(LEVEL_METRICS.map(({ tag }) => tag));
  for (const metric of METRICS) {
    const told = objectOf(summary[metric.tag]);
    const stats = told && inUnitOf(metric, told);
    if (stats === undefined || stats["avg"] === undefined) {
      const column = ofRequests.has(metric.tag)
        ? profiling.column(metric.tag as RecordMetricTag)?.filter((value) => !Number.isNaN(value))
        : undefined;
      if (column !== undefined && column.length > 0) {
        results.set(metric.tag, { metric, summary: summarize(column) });
      }
    } else if (stats["p50"] === undefined) {
      results.set(metric.tag, { metric, value: stats["avg"] });
    } else if (levels.has(metric.tag)) {
      results.set(metric.tag, { metric, level: stats as unknown as LevelSummary });
    } else {
      results.set(metric.tag, { metric, summary: stats as unknown as Summary });
    }
  }
  return results;
}

/** Statistics in the unit of the catalog. */
function inUnitOf({ unit }: Metric<MetricTag>, told: JsonObject): Record<string, number> {
  const [given, own] = [unitOf(String(told["unit"])), unitOf(unit)];
  const ratio = given && own ? unitRatio(own, given) ?? 1 : 1;
  return Object.fromEntries(
    Object.entries(numbersOf(told)).map(([name, value]) => [
      name,
      name === "count" ? value : value / ratio,
    ]),
  );
}

/** `aiperf/0.13.0` as people write it; the name of another program as it is. */
function programName(product = "aiperf/"): string {
  return product.startsWith("aiperf/")
    ? `AIPerf ${product.slice("aiperf/".length)}`.trim()
    : product.replace("/", " ");
}
