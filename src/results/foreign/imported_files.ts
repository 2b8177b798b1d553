/** A run of another tool as the files that a run exports: what compare, runs and report read. */

import { summarize } from "../../core/statistics/summarize.ts";
import { artifactNames } from "../../report/export/artifact_names.ts";
import { REQUEST_LINES } from "../../report/export/request_lines.ts";
import { PROFILE_SCHEMA_VERSION } from "../../report/export/summary/profile_json.ts";
import type { ForeignFigures, ForeignRequest, ForeignResult } from "./foreign_result.ts";

/** A file, by its name. */
export type NamedFile = readonly [name: string, text: string];

/** Metrics of a request: tag, unit, value. */
const METRICS: readonly (readonly [string, string, (request: ForeignRequest) => number])[] = [
  ["request_latency", "ms", ({ latencyMs }) => latencyMs],
  ["time_to_first_token", "ms", ({ ttftMs }) => ttftMs],
  ["inter_token_latency", "ms", ({ itlMs }) => itlMs],
  ["output_sequence_length", "tokens", ({ outputTokens }) => outputTokens],
  ["input_sequence_length", "tokens", ({ inputTokens }) => inputTokens],
];

/** The summary, and a line for each request. */
export function importedFiles(result: ForeignResult): NamedFile[] {
  const names = artifactNames(undefined);
  return [
    [names.json, `${JSON.stringify(summaryOf(result), undefined, 2)}\n`],
    [names.records, linesOf(result)],
  ];
}

function summaryOf(result: ForeignResult): Record<string, unknown> {
  const { requests = [], durationSeconds, startMs } = result;
  const figures = computed(requests, result);
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    "schema_version": PROFILE_SCHEMA_VERSION,
    "aiperf_version": result.product,
    ...Object.fromEntries([...figures].map(([tag, { unit, stats }]) => [tag, { unit, ...stats }])),
    "input_config": {
      "models": { "items": [{ "name": result.model }] },
      "endpoint": {
        "urls": result.url === undefined ? [] : [result.url],
        "type": result.endpointType,
      },
      "phases": [{ "name": "profiling", "kind": "profiling", ...result.load }],
    },
    "was_cancelled": false,
    "error_summary": errorsOf(requests),
    "start_time": iso(startMs),
    "end_time": iso(startMs + durationSeconds * 1e3),
    "notes": result.notes,
    // Some tools keep no line for each request.
    "inferometer": { [REQUEST_LINES]: requests.length },
  };
}

/** Statistics of the requests; what only the tool knows stays as it has it. */
function computed(
  requests: readonly ForeignRequest[],
  { figures, durationSeconds, succeeded, failed, requests: known }: ForeignResult,
): Map<string, ForeignFigures> {
  const valid = requests.filter(({ error }) => error === undefined);
  // A count of a sample is not that of the run.
  const isTold = known === undefined || succeeded > valid.length;
  const all = new Map(figures);
  const summarized = (tag: string, unit: string, values: readonly number[]): void => {
    const numbers = values.filter((value) => !Number.isNaN(value));
    // Figures of a sample of the requests are not those of the run.
    if (numbers.length === 0 || figures.get(tag)?.stats["max"] !== undefined) return;
    const { count, sum, ...stats } = summarize(Float64Array.from(numbers));
    all.set(tag, { unit, stats: { ...stats, count, sum } });
  };
  for (const [tag, unit, value] of METRICS) summarized(tag, unit, valid.map(value));
  summarized("inter_chunk_latency", "ms", valid.flatMap(({ gapsMs = [] }) => gapsMs));
  const counts = valid.flatMap(({ outputTokens }) => outputTokens >= 0 ? [outputTokens] : []);
  const count = isTold ? succeeded : valid.length;
  const errors = isTold ? failed : requests.length - valid.length;
  const tokens = isTold
    ? (figures.get("output_sequence_length")?.stats["avg"] ?? NaN) * count
    : counts.length === 0
    ? NaN
    : counts.reduce((sum, tokens) => sum + tokens, 0);
  const rows: readonly (readonly [string, string, number])[] = [
    ["request_throughput", "requests/sec", count / durationSeconds],
    ["output_token_throughput", "tokens/sec", tokens / durationSeconds],
    ["request_count", "requests", count],
    ["error_request_count", "requests", errors],
    ["request_error_rate", "%", 100 * errors / (count + errors)],
    ["benchmark_duration", "sec", durationSeconds],
  ];
  for (const [tag, unit, avg] of rows) {
    if (!all.has(tag) && Number.isFinite(avg)) all.set(tag, { unit, stats: { avg } });
  }
  return all;
}

function errorsOf(requests: readonly ForeignRequest[]): unknown[] {
  const counts = new Map<string, number>();
  for (const { error } of requests) {
    if (error !== undefined) counts.set(error, (counts.get(error) ?? 0) + 1);
  }
  return [...counts].map(([message, count]) => ({
    "error_details": { "code": null, "type": "error", "message": message },
    "count": count,
  }));
}

function linesOf({ requests = [], startMs }: ForeignResult): string {
  const zeroNs = BigInt(Math.round(startMs * 1e3)) * 1000n;
  return requests.map((request, number) => {
    const startNs = zeroNs + BigInt(Math.round(request.startNs));
    const endNs = startNs + BigInt(Math.round((request.latencyMs || 0) * 1e6));
    const metrics: Record<string, unknown> = {};
    if (request.error === undefined) {
      for (const [tag, unit, value] of METRICS) {
        const number = value(request);
        if (!Number.isNaN(number)) metrics[tag] = { "value": number, "unit": unit };
      }
      if (request.gapsMs !== undefined) {
        metrics["inter_chunk_latency"] = { "value": request.gapsMs, "unit": "ms" };
      }
    }
    // Times of nanoseconds since 1970 are written as they are: a number of JavaScript loses digits.
    const metadata = `"session_num":${number},"request_start_ns":${startNs},` +
      `"request_end_ns":${endNs},"benchmark_phase":"profiling","was_cancelled":false`;
    const error = request.error === undefined
      ? ""
      : `,"error":${JSON.stringify({ code: null, type: "error", message: request.error })}`;
    return `{"metadata":{${metadata}},"metrics":${JSON.stringify(metrics)}${error}}\n`;
  }).join("");
}
