/** Metrics of the GPUs of each exporter over time, as lines in addition to the servers' metrics. */

import { GPU_FIELDS, type GpuField } from "../../telemetry/gpu/gpu_fields.ts";
import { type GpuSamples, gpusOf } from "../../telemetry/gpu/gpu_samples.ts";
import type { EndpointSeries } from "../../telemetry/timeseries/endpoint_series.ts";
import {
  MAX_ENDPOINTS,
  roleLine,
  type ServerRole,
  type ServerTimeline,
  type ServerTimelineSeries,
} from "./server_timeline.ts";

/** The fields of a line, and how the GPUs of an exporter are taken together. */
interface GpuRole {
  readonly role: ServerRole;
  readonly keys: readonly GpuField["key"][];
  readonly together: "sum" | "max";
}

const ROLES: readonly GpuRole[] = [
  { role: "gpuPower", keys: ["nvidia_power_usage", "amd_power"], together: "sum" },
  { role: "gpuUtilization", keys: ["nvidia_gpu_utilization", "amd_gfx_activity"], together: "max" },
  { role: "gpuMemory", keys: ["nvidia_memory_used", "amd_memory_used"], together: "sum" },
];
const FIELDS = GPU_FIELDS.filter(({ key }) => ROLES.some(({ keys }) => keys.includes(key)));

/** An exporter and what it said. */
interface Exporter {
  readonly url: string;
  readonly series: EndpointSeries;
}

/** See the module's comment. */
export function gpuTimeline(endpoints: readonly Exporter[]): ServerTimeline {
  const all = endpoints.map((endpoint) => ({ endpoint, gpus: gpusOf(endpoint.series, FIELDS) }));
  return ROLES.flatMap((role) =>
    all.flatMap(({ endpoint, gpus }) => lineOf(role, endpoint, gpus)).slice(0, MAX_ENDPOINTS)
  );
}

/** Both together; of an exporter that servers' metrics are read from as well, the line of its GPUs. */
export function joinedTimeline(servers: ServerTimeline, gpus: ServerTimeline = []): ServerTimeline {
  const isTwice = ({ role, endpointUrl }: ServerTimelineSeries): boolean =>
    gpus.some((line) => line.role === role && line.endpointUrl === endpointUrl);
  return [...servers.filter((line) => !isTwice(line)), ...gpus];
}

function lineOf(
  { role, keys, together }: GpuRole,
  { url, series: { timesNs } }: Exporter,
  gpus: readonly GpuSamples[],
): ServerTimelineSeries[] {
  const rowOf = new Map<number, number>();
  timesNs.forEach((time, row) => rowOf.set(time, row));
  const values = new Float64Array(timesNs.length).fill(NaN);
  for (const { fields } of gpus) {
    for (const [{ key }, samples] of fields) {
      if (!keys.includes(key)) continue;
      samples.timesNs.forEach((time, at) => {
        const row = rowOf.get(time) as number;
        const [before, value] = [values[row] as number, samples.values[at] as number];
        values[row] = Number.isNaN(before)
          ? value
          : together === "sum"
          ? before + value
          : Math.max(before, value);
      });
    }
  }
  return roleLine({ role }, keys.join(", "), url, timesNs, values);
}
