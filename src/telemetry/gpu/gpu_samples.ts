/** The GPUs that an endpoint reported, and the values of each over time. */

import type { EndpointSeries } from "../timeseries/endpoint_series.ts";
import { ScalarSeries } from "../timeseries/series.ts";
import { GpuColumn } from "./gpu_column.ts";
import type { GpuField, GpuPlatform } from "./gpu_fields.ts";

/** Values of a field; times are nanoseconds of the run's clock, ascending. */
export interface FieldSamples {
  readonly timesNs: Float64Array;
  readonly values: Float64Array;
}

/** Constant properties of a GPU. */
export interface GpuIdentity {
  readonly index: number;
  readonly uuid: string;
  readonly name: string;
  readonly platform: GpuPlatform;
  readonly pciBusId: string | undefined;
  readonly device: string | undefined;
  readonly hostname: string | undefined;
  readonly namespace: string | undefined;
  readonly podName: string | undefined;
}

/** A GPU and its samples. */
export interface GpuSamples {
  readonly identity: GpuIdentity;
  readonly fields: ReadonlyMap<GpuField, FieldSamples>;
}

type Labels = ReadonlyMap<string, string>;

/** The label of a part that a GPU was divided into (MIG). */
const INSTANCE = "GPU_I_ID";

/** Name of AMD GPU chips in node_exporter. */
const HWMON_GPU = "amdgpu";

interface Gpu {
  readonly identity: GpuIdentity;
  /** Samples by field and by the position of its source. */
  readonly fields: Map<GpuField, Map<number, GpuColumn>>;
}

/**
 * Reads the GPUs of an endpoint, by ascending index.
 * @param fields which are looked for
 */
export function gpusOf(endpoint: EndpointSeries, fields: readonly GpuField[]): GpuSamples[] {
  const { timesNs } = endpoint;
  const sources = new Map(
    fields.flatMap((field) =>
      field.sources.map(({ name, scale }, rank) => [name, { field, scale, rank }] as const)
    ),
  );
  const scalars = [...endpoint.series].filter((one) => one instanceof ScalarSeries);
  const chips = hwmonChips(scalars);
  const gpus = new Map<string, Gpu>();
  for (const { identity, values } of scalars) {
    const source = sources.get(identity.name.replace(/_total$/i, ""));
    if (source === undefined) continue;
    const labels: Labels = new Map(identity.labels);
    const who = identityOf(labels, source.field.platform, chips);
    if (who === undefined) continue;
    const key = `${who.platform} ${who.index} ${who.uuid}`;
    let gpu = gpus.get(key);
    if (gpu === undefined) gpus.set(key, gpu = { identity: who, fields: new Map() });
    let ranks = gpu.fields.get(source.field);
    if (ranks === undefined) gpu.fields.set(source.field, ranks = new Map());
    let column = ranks.get(source.rank);
    if (column === undefined) {
      ranks.set(source.rank, column = new GpuColumn(timesNs.length));
    }
    for (const { startRow, endRow, value } of values.runs()) {
      column.add(labels.get(INSTANCE), value * source.scale, startRow, endRow);
    }
  }
  return [...gpus.values()]
    .sort((a, b) => a.identity.index - b.identity.index)
    .map(({ identity, fields: found }) => ({
      identity,
      fields: new Map(
        fields.flatMap((field) => {
          const ranks = found.get(field);
          if (ranks === undefined) return [];
          const first = Math.min(...ranks.keys());
          const column = (ranks.get(first) as GpuColumn).values(field.instances === "sum");
          return [[field, present(timesNs, column)]] as const;
        }),
      ),
    }));
}

function present(timesNs: Float64Array, column: Float64Array): FieldSamples {
  const isThere = (_: number, row: number): boolean => !Number.isNaN(column[row]);
  return { timesNs: timesNs.filter(isThere), values: column.filter(isThere) };
}

function identityOf(
  labels: Labels,
  platform: GpuPlatform,
  chips: ReadonlyMap<string, number>,
): GpuIdentity | undefined {
  const first = (...names: readonly string[]): string | undefined =>
    names.map((name) => labels.get(name)).find((value) => value !== undefined && value !== "");
  const chip = labels.get("chip");
  const chipIndex = chip === undefined ? undefined : chips.get(chip);
  const index = chipIndex ?? Number(first("gpu", "gpu_id") ?? NaN);
  if (!Number.isInteger(index)) return undefined;
  const hostname = first("Hostname", "hostname");
  const bus = first("pci_bus_id", "pcie_bus_id");
  return {
    index,
    uuid: first("UUID", "gpu_uuid", "serial_number", "chip") ?? bus ??
      `${hostname ?? "host"}-gpu${index}`,
    name: first("modelName", "card_series", "card_model") ??
      (chip === undefined ? "unknown" : HWMON_GPU),
    platform,
    pciBusId: bus,
    device: first("device"),
    hostname,
    namespace: first("namespace"),
    podName: first("pod"),
  };
}

/** Numbers of node_exporter's chips that are GPUs, in the order of their names. */
function hwmonChips(scalars: readonly ScalarSeries[]): ReadonlyMap<string, number> {
  const names = scalars.flatMap(({ identity: { name, labels } }) => {
    if (name !== "node_hwmon_chip_names") return [];
    const known: Labels = new Map(labels);
    const chip = known.get("chip");
    return known.get("chip_name") === HWMON_GPU && chip !== undefined ? [chip] : [];
  });
  return new Map([...new Set(names)].sort().map((name, index) => [name, index]));
}
