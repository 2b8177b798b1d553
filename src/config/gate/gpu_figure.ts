/** GPU metrics that objectives may name. */

import { EFFICIENCY_METRICS } from "../../telemetry/gpu/gpu_efficiency.ts";
import { GPU_FIELDS, type GpuField } from "../../telemetry/gpu/gpu_fields.ts";
import { nearest } from "../options/nearest.ts";
import type { ServerFigures } from "./server_figure.ts";

/** A metric that GPUs may have. */
export interface GpuFigureKind {
  /** Key in files, with the maker's name as prefix. */
  readonly key: string;
  readonly unit: string;
  /** Whether it is one value, and not a distribution of samples. */
  readonly isOne: boolean;
}

const MAKER = /^(nvidia|amd)_/;

/** Common names for metrics that exporters of different makers name differently. */
const COMMON_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["power", ["nvidia_power_usage", "amd_power"]],
  ["energy", ["nvidia_total_gpu_energy", "amd_total_gpu_energy"]],
  ["utilization", ["nvidia_gpu_utilization", "amd_gfx_activity"]],
  ["memory", ["nvidia_memory_used", "amd_memory_used"]],
  ["tokens_per_joule", ["nvidia_output_tokens_per_joule", "amd_output_tokens_per_joule"]],
]);

const EFFICIENCY: readonly GpuFigureKind[] = (["nvidia", "amd"] as const).flatMap((platform) =>
  EFFICIENCY_METRICS.map(({ name, unit }) => ({ key: `${platform}_${name}`, unit, isOne: true }))
);

/** Metrics of every exporter, and those derived from them. */
const KNOWN: readonly GpuFigureKind[] = [...fieldKinds(GPU_FIELDS), ...EFFICIENCY];

/** Returns the GPU metrics of fields. */
export function fieldKinds(fields: readonly GpuField[]): GpuFigureKind[] {
  return fields.map(({ key, unit, kind }) => ({ key, unit, isOne: kind !== "gauge" }));
}

/** Returns the metrics of a run that come from its custom fields. */
export function customFigures(figures: readonly ServerFigures[]): GpuFigureKind[] {
  const known = new Set(KNOWN.map(({ key }) => key));
  return figures.filter(({ name }) => !known.has(name)).map(({ name, unit, stats }) => ({
    key: name,
    unit: unit ?? "",
    isOne: !("p50" in stats),
  }));
}

/**
 * Returns the GPU metrics that a name selects; none if there is no such name.
 * @param custom metrics of a user's own fields
 */
export function gpuFiguresNamed(
  name: string,
  custom: readonly GpuFigureKind[],
): readonly GpuFigureKind[] {
  const wanted = keysMeant(name);
  return [...KNOWN, ...custom].filter(({ key }) => wanted.has(key));
}

/** The name that a word most likely meant. */
export function nearestGpuName(
  word: string,
  custom: readonly GpuFigureKind[],
): string | undefined {
  const keys = [...KNOWN, ...custom].map(({ key }) => key);
  const short = new Set(keys.map((key) => key.replace(MAKER, "")));
  return nearest(word, [...COMMON_NAMES.keys(), ...short, ...keys]);
}

/** Returns the series of a run's GPUs that a name selects, and the message if there are none. */
export function gpuSeriesNamed(
  name: string,
  all: readonly ServerFigures[],
): { readonly series: readonly ServerFigures[]; readonly missing: string } {
  const wanted = keysMeant(name);
  return {
    series: all.filter((figures) => wanted.has(figures.name)),
    missing: all.length === 0 ? "no GPU was found" : `no GPU reports "${name}"`,
  };
}

/** The name itself, and with a maker's before it. */
function keysMeant(name: string): ReadonlySet<string> {
  return new Set(COMMON_NAMES.get(name) ?? [name, `nvidia_${name}`, `amd_${name}`]);
}
