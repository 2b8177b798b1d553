/**
 * The servers' most telling metrics over time: who runs, who waits, what memory and power it takes.
 * Figures of a whole run do not show when something began; these do.
 */

import { SERVER_KINDS } from "../../telemetry/engines/server_kinds.ts";
import type { EndpointSeries } from "../../telemetry/timeseries/endpoint_series.ts";
import { HistogramSeries, ScalarSeries } from "../../telemetry/timeseries/series.ts";
import type { ValueColumn } from "../../telemetry/timeseries/value_column.ts";
import type { ScrapedEndpoint } from "./build_server_metrics_report.ts";

/** What a line of the timeline says. */
export type ServerRole =
  | "running"
  | "waiting"
  | "kvUsage"
  | "generatedTokens"
  | "gpuPower"
  | "gpuUtilization"
  | "gpuMemory";

/** A metric of one endpoint over time. */
export interface ServerTimelineSeries {
  readonly role: ServerRole;
  /** Name of the metric. */
  readonly metric: string;
  /** The endpoint as it may be shown. */
  readonly endpointUrl: string;
  /** Nanoseconds of the run's clock, ascending. */
  readonly timesNs: readonly number[];
  /** Of counters, how much they had grown since the first time. */
  readonly values: readonly number[];
}

/** See the module's comment. */
export type ServerTimeline = readonly ServerTimelineSeries[];

/** Names of the metrics of a role, and how series with different labels are taken together. */
export interface RoleRow {
  readonly role: ServerRole;
  readonly names: readonly string[];
  readonly together: "sum" | "max";
  readonly isCounter?: true;
}

/** The roles, all of them. */
export const SERVER_ROLES: readonly RoleRow[] = [
  {
    role: "running",
    names: [
      ...["vllm:num_requests_running", "sglang:num_running_reqs", "trtllm_num_requests_running"],
      ...["llamacpp:requests_processing", "dynamo_frontend_inflight_requests"],
    ],
    together: "sum",
  },
  {
    role: "waiting",
    names: [
      ...["vllm:num_requests_waiting", "sglang:num_queue_reqs", "trtllm_num_requests_waiting"],
      ...["llamacpp:requests_deferred", "dynamo_frontend_queued_requests"],
      "nv_inference_pending_request_count",
    ],
    together: "sum",
  },
  {
    role: "kvUsage",
    names: [
      ...["vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage"],
      ...["trtllm_kv_cache_utilization", "llamacpp:kv_cache_usage_ratio"],
      "dynamo_component_gpu_cache_usage_percent",
    ],
    together: "max",
  },
  {
    role: "generatedTokens",
    names: SERVER_KINDS.flatMap(({ counterparts }) => counterparts.generationTokens),
    together: "sum",
    isCounter: true,
  },
  {
    role: "gpuPower",
    names: ["DCGM_FI_DEV_POWER_USAGE", "nv_gpu_power_usage", "amd_gpu_package_power"],
    together: "sum",
  },
];

/** Most points of a line: more than a wide screen shows. */
const MAX_POINTS = 600;
/** Number of endpoints of a role at most. */
export const MAX_ENDPOINTS = 8;

/** The timeline of everything that the endpoints said. */
export function serverTimeline(endpoints: readonly ScrapedEndpoint[]): ServerTimeline {
  return SERVER_ROLES.flatMap((row) =>
    endpoints.flatMap(({ url, series }) => lineOf(row, url, series)).slice(0, MAX_ENDPOINTS)
  );
}

function lineOf(
  { role, names, together, isCounter }: RoleRow,
  endpointUrl: string,
  endpoint: EndpointSeries,
): ServerTimelineSeries[] {
  const all = [...endpoint.series];
  const metric = names.find((name) => all.some(({ identity }) => identity.name === name));
  if (metric === undefined) return [];
  const columns = all.filter(({ identity }) => identity.name === metric).flatMap((series) => {
    if (series instanceof ScalarSeries) return [series.values];
    return series instanceof HistogramSeries ? [series.sum] : [];
  });
  const { timesNs } = endpoint;
  const values = joined(columns, timesNs.length, together);
  return roleLine({ role, isCounter }, metric, endpointUrl, timesNs, values);
}

/** The line of a role from values in the order of time, NaN where there is none. */
export function roleLine(
  { role, isCounter }: { readonly role: ServerRole; readonly isCounter?: true | undefined },
  metric: string,
  endpointUrl: string,
  timesNs: ArrayLike<number>,
  values: Float64Array,
): ServerTimelineSeries[] {
  const rows = [...values.keys()].filter((row) => !Number.isNaN(values[row]));
  if (rows.length === 0) return [];
  const first = values[rows[0] as number] as number;
  const kept = thinned(rows, values);
  return [{
    ...{ role, metric, endpointUrl },
    timesNs: kept.map((row) => timesNs[row] as number),
    values: kept.map((row) => (values[row] as number) - (isCounter ? first : 0)),
  }];
}

/** The values of several series together; NaN where none has one. */
function joined(
  columns: readonly ValueColumn[],
  rows: number,
  together: RoleRow["together"],
): Float64Array {
  const values = new Float64Array(rows).fill(NaN);
  for (const column of columns) {
    for (const { startRow, endRow, value } of column.runs()) {
      for (let row = startRow; row < Math.min(endRow, rows); row++) {
        const before = values[row] as number;
        if (Number.isNaN(before)) values[row] = value;
        else values[row] = together === "sum" ? before + value : Math.max(before, value);
      }
    }
  }
  return values;
}

/** Of many rows, the first of each stretch and the one that stands highest in it. */
function thinned(rows: readonly number[], values: Float64Array): number[] {
  if (rows.length <= MAX_POINTS) return [...rows];
  const size = Math.ceil(rows.length / (MAX_POINTS / 2));
  const kept = new Set<number>([rows.at(-1) as number]);
  for (let at = 0; at < rows.length; at += size) {
    const stretch = rows.slice(at, at + size);
    kept.add(stretch[0] as number);
    kept.add(
      stretch.reduce((best, row) =>
        (values[row] as number) > (values[best] as number) ? row : best
      ),
    );
  }
  return [...kept].sort((a, b) => a - b);
}
