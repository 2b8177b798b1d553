import type { MachineFacts } from "../../src/results/collect/run_manifest.ts";
import type { MetricResults } from "../../src/measurement/metrics/metric_results.ts";
import { computeResults } from "../../src/measurement/metrics/compute_results.ts";
import type { MetricContext } from "../../src/measurement/metrics/metric.ts";
import type { RequestRecord } from "../../src/measurement/metrics/request_record.ts";
import type { ProfileReport, RequestCounts } from "../../src/report/model/profile_report.ts";
import { summarize, type Summary } from "../../src/core/statistics/summarize.ts";
import { addRecords, recordTable } from "./record_tables.ts";
import { recordWith } from "./records.ts";

/** A machine. */
export const MACHINE: MachineFacts = {
  hostname: "node1",
  os: "linux",
  arch: "x86_64",
  cores: 2,
  runtime: "deno 2.9.6",
  engine: "v8 14",
};

/** The start of the reports' clock, nanoseconds since 1970: no double can hold it. */
export const BASE_EPOCH_NS = 1_795_237_156_230_500_123n;

const CONTEXT = { goodput: true, httpTrace: true, usageDiff: true, arrivalProcess: true };

/** Figures of some values. */
export function summaryOf(...values: number[]): Summary {
  return summarize(Float64Array.from(values));
}

/** Four requests of 100 to 130 ms, one of which failed. */
export function someRecords(): RequestRecord[] {
  return [0, 1, 2, 3].map((index) => {
    const startNs = 1e9 + index * 50e6;
    const ends = [80, 90, 100 + index * 10].map((ms) => startNs + ms * 1e6);
    return recordWith({
      index,
      startNs,
      chunkNs: Float64Array.from(ends),
      ...(index === 2 ? { error: "timeout" as const } : {}),
    });
  });
}

/** Results of records in which every metric applies. */
export function resultsOf(
  records: readonly RequestRecord[],
  context: Partial<MetricContext> = {},
  objectives: Readonly<Record<string, number>> = { "request_latency": 110 },
): MetricResults {
  const table = recordTable({ ...CONTEXT, ...context }, objectives);
  return computeResults(addRecords(table, records), BASE_EPOCH_NS);
}

/** Counts of a run without any request. */
export const NO_REQUESTS: RequestCounts = {
  ...{ sent: 0, succeeded: 0, failed: 0, cancelled: 0, cancelledOnPurpose: 0 },
  ...{ unsentArrivals: 0, retried: 0, rateLimitReplies: 0, rateLimitSeconds: 0 },
};

/** A report of {@linkcode someRecords}; fields override. */
export function reportWith(fields: Partial<ProfileReport> = {}): ProfileReport {
  return {
    benchmarkId: "0123456789ab",
    model: "m",
    endpointType: "chat",
    results: resultsOf(someRecords()),
    warmupResults: undefined,
    measurementError: undefined,
    slices: [],
    errors: [{
      kind: "timeout",
      status: null,
      type: "timeout",
      message: "No reply within 1 s",
      count: 1,
    }],
    requests: { ...NO_REQUESTS, sent: 4, succeeded: 3, failed: 1 },
    clientHealth: {
      ok: true,
      problems: [],
      advice: [],
      loopLagMs: [summaryOf(0.1, 0.2), summaryOf(0.3, 0.4)],
      sendSlipMs: summaryOf(0.01, 0.02),
      queueWaitMs: undefined,
      coalescedShare: 0.125,
      cpuCores: 0.25,
      cores: 2,
      stalls: [],
    },
    reconciliation: [],
    gates: [],
    wasCancelled: false,
    endedEarly: undefined,
    endReason: undefined,
    isComplete: true,
    startEpochNs: BASE_EPOCH_NS + 1_000_000_000n,
    endEpochNs: BASE_EPOCH_NS + 3_500_000_000n,
    tokenizer: "builtin (o200k_base)",
    notes: [],
    cliCommand: "inferometer profile --model m",
    seed: 42,
    tags: [],
    servers: [],
    inputConfig: { "models": { "items": [{ "name": "m" }] } },
    ownConfig: { "transport": "socket" },
    files: ["profile_export_aiperf.json"],
    ...fields,
  };
}
