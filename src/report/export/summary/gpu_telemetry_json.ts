/** GPU telemetry in AIPerf's files: a part of the summary, lines of samples, rows of CSV. */

import type { GpuField } from "../../../telemetry/gpu/gpu_fields.ts";
import type {
  GpuFigure,
  GpuReport,
  GpuTelemetryReport,
} from "../../../telemetry/gpu/gpu_report.ts";
import { type GpuIdentity, gpusOf } from "../../../telemetry/gpu/gpu_samples.ts";
import type { EndpointSeries } from "../../../telemetry/timeseries/endpoint_series.ts";
import { isoTime } from "../iso_time.ts";
import { jsonLine } from "../json_document.ts";

/** How AIPerf names an endpoint: its host, and its path without `/metrics`. */
function endpointDisplay(url: string): string {
  const { host, pathname } = new URL(url);
  const path = pathname.replace(/\/metrics$/, "");
  return path === "/" ? host : `${host}${path}`;
}

/** `telemetry_data` of the summary. */
export function telemetryObject(report: GpuTelemetryReport): Record<string, unknown> {
  return {
    "summary": {
      "endpoints_configured": report.endpointsConfigured,
      "endpoints_successful": report.endpoints.map(({ url }) => url),
      "start_time": isoTime(report.startNs),
      "end_time": isoTime(report.endNs),
    },
    "endpoints": Object.fromEntries(
      report.endpoints.map(({ url, gpus }) => [endpointDisplay(url), { "gpus": gpusObject(gpus) }]),
    ),
    "error_summary": [...report.failures].map(([message, count]) => ({
      "error_details": { "type": "ScrapeError", "message": message },
      "count": count,
    })),
  };
}

/** By their indices; a second one of the same index, as of another maker, by its UUID, too. */
function gpusObject(gpus: readonly GpuReport[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const { identity, figures } of gpus) {
    const key = `gpu_${identity.index}`;
    object[key in object ? `${key}_${identity.uuid}` : key] = {
      "gpu_index": identity.index,
      "gpu_name": identity.name,
      "gpu_uuid": identity.uuid,
      "platform": identity.platform,
      "hostname": identity.hostname ?? null,
      "namespace": identity.namespace ?? null,
      "pod_name": identity.podName ?? null,
      "metrics": Object.fromEntries(
        figures.map((figure) => [figure.field.key, figureObject(figure)]),
      ),
    };
  }
  return object;
}

function figureObject({ field, stats }: GpuFigure): Record<string, unknown> {
  if (!("p50" in stats)) return { "unit": field.unit, "avg": stats.avg };
  const { avg, p1, p5, p10, p25, p50, p75, p90, p95, p99, min, max, std, count, sum } = stats;
  return {
    ...{ "unit": field.unit, avg, p1, p5, p10, p25, p50, p75, p90, p95, p99, min, max },
    "std": Number.isNaN(std) ? 0 : std,
    ...{ count, sum },
  };
}

/** Returns the energy metrics under their tags. */
export function efficiencyObjects(
  efficiency: readonly { readonly tag: string; readonly unit: string; readonly value: number }[],
): Record<string, unknown> {
  return Object.fromEntries(
    efficiency.map(({ tag, unit, value }) => [tag, { "unit": unit, "avg": value }]),
  );
}

const STATS = ["avg", "min", "max", "sum", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95"];
const CSV_STATS = [...STATS, "p99", "std"] as const;

/** The rows of the summary's CSV, their head first: one for each metric of each GPU. */
export function telemetryRows(report: GpuTelemetryReport): string[][] {
  const optional = ([
    ["Hostname", ({ hostname }) => hostname],
    ["Namespace", ({ namespace }) => namespace],
    ["Pod Name", ({ podName }) => podName],
  ] as [string, (identity: GpuIdentity) => string | undefined][]).filter(([, valueOf]) =>
    report.endpoints.some(({ gpus }) =>
      gpus.some(({ identity }) => valueOf(identity) !== undefined)
    )
  );
  const head = ["Endpoint", "GPU_Index", "GPU_Name", "GPU_UUID", "Platform", "Metric"];
  return [
    [...head, ...CSV_STATS, ...optional.map(([name]) => name)],
    ...report.endpoints.flatMap(({ url, gpus }) =>
      gpus.flatMap(({ identity, figures }) =>
        figures.map(({ field, stats }) => [
          ...[endpointDisplay(url), String(identity.index), identity.name, identity.uuid],
          ...[identity.platform, `${field.header} (${field.unit})`],
          ...CSV_STATS.map((stat) => cell((stats as Partial<Record<string, number>>)[stat])),
          ...optional.map(([, valueOf]) => valueOf(identity) ?? ""),
        ])
      )
    ),
  ];
}

function cell(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? "" : smallFixed(value);
}

/** Two decimals; what is small, as energies of a short run in megajoules, keeps its digits. */
export function smallFixed(value: number): string {
  return value !== 0 && Math.abs(value) < 0.1 ? String(value) : value.toFixed(2);
}

/** `gpu_telemetry_export.jsonl`: a line for each GPU of each scrape. */
export function* telemetryLines(
  endpoints: readonly { readonly url: string; readonly series: EndpointSeries }[],
  fields: readonly GpuField[],
  baseEpochNs: bigint,
): Generator<string> {
  for (const { url, series } of endpoints) {
    const gpus = gpusOf(series, fields).map(({ identity, fields }) => ({
      identity,
      columns: [...fields].map(([field, samples]) => ({ key: field.key, ...samples, next: 0 })),
    }));
    for (const timeNs of series.timesNs) {
      for (const { identity, columns } of gpus) {
        const data: Record<string, number> = {};
        for (const column of columns) {
          if (column.timesNs[column.next] !== timeNs) continue;
          data[column.key] = column.values[column.next++] as number;
        }
        if (Object.keys(data).length === 0) continue;
        yield `${
          jsonLine({
            "gpu_index": identity.index,
            "gpu_uuid": identity.uuid,
            "gpu_model_name": identity.name,
            "pci_bus_id": identity.pciBusId,
            "device": identity.device,
            "hostname": identity.hostname,
            "namespace": identity.namespace,
            "pod_name": identity.podName,
            "platform": identity.platform,
            "timestamp_ns": baseEpochNs + BigInt(Math.round(timeNs)),
            "telemetry_source_url": url,
            "telemetry_data": data,
          })
        }\n`;
      }
    }
  }
}
