import type { GpuFigure } from "../../telemetry/gpu/gpu_report.ts";
import type { ProfileReport } from "../model/profile_report.ts";
import { fullNumber, significantText } from "./number_text.ts";
import { printableText } from "./printable_text.ts";
import { renderTable } from "./text_table.ts";

/** A table and what it is of. */
export type TitledTable = readonly [title: string, table: string];

const COLUMNS = ["avg", "min", "max", "p99", "p90", "p50", "std"] as const;
const COMPACT_COLUMNS = ["avg", "min", "max"] as const;
/** Fields of each GPU that the terminal shows, by the suffixes of their keys. */
const COMPACT_FIELDS = /_(power_usage|power|gpu_utilization|gfx_activity|memory_used|temperature)$/;
/** GPUs that a screen shows one by one. */
const MAX_COMPACT_GPUS = 8;

/** AIPerf's tables: one for each GPU, and one of what the results cost in energy. */
export function gpuTables({ gpu }: ProfileReport, width: number): TitledTable[] {
  if (gpu === undefined) return [];
  const tables = gpu.report.endpoints.flatMap(({ url, gpus }) =>
    gpus.map(({ identity, figures }): TitledTable => [
      printableText(`${hostOf(url)} | GPU ${identity.index} | ${identity.name}`),
      renderTable({
        head: ["Metric", ...COLUMNS],
        rows: figures.map(({ field, stats }) => [
          printableText(`${field.header} (${field.unit})`),
          ...COLUMNS.map((column) => text(stats, column)),
        ]),
        flexible: 0,
        minFlexible: 16,
        alignments: ["left", ...COLUMNS.map(() => "right" as const)],
      }, width),
    ])
  );
  return gpu.efficiency.length === 0
    ? tables
    : [...tables, ["GPU Power Efficiency", efficiencyTable(gpu.efficiency, width)]];
}

function efficiencyTable(
  efficiency: NonNullable<ProfileReport["gpu"]>["efficiency"],
  width: number,
): string {
  return renderTable({
    head: ["Metric", "avg"],
    rows: efficiency.map(({ tag, header, unit, value }) => [
      `${tag.startsWith("amd") ? "AMD" : "NVIDIA"} ${header} (${unit})`,
      significantText(value),
    ]),
    flexible: 0,
    minFlexible: 16,
    alignments: ["left", "right"],
  }, width);
}

/**
 * Returns the GPU metrics that fit a terminal: power, utilization, memory and temperature of each
 * GPU, and the energy.
 */
export function gpuLines({ gpu }: ProfileReport, width: number): string[] {
  if (gpu === undefined) return [];
  const all = gpu.report.endpoints.flatMap(({ gpus }) => gpus);
  if (all.length === 0) return [];
  const rows = all.slice(0, MAX_COMPACT_GPUS).flatMap(({ identity, figures }) =>
    figures.filter(({ field }) => COMPACT_FIELDS.test(field.key)).map(({ field, stats }, at) => [
      at === 0 ? printableText(`GPU ${identity.index} ${identity.name}`) : "",
      `${field.header.replace(/^(NVIDIA|AMD) (GPU )?/, "")} (${field.unit})`,
      ...COMPACT_COLUMNS.map((column) => text(stats, column)),
    ])
  );
  const others = all.length - MAX_COMPACT_GPUS;
  const table = renderTable({
    head: ["GPU", "Metric", ...COMPACT_COLUMNS],
    rows,
    flexible: 0,
    minFlexible: 12,
    alignments: ["left", "left", ...COMPACT_COLUMNS.map(() => "right" as const)],
  }, width);
  return [
    "GPUs",
    ...table.trimEnd().split("\n"),
    ...(others > 0 ? [`and ${others} more`] : []),
    ...gpu.efficiency.filter(({ tag }) => COMPACT_EFFICIENCY.test(tag)).map((
      { header, unit, value },
    ) => `${header.padEnd(24)} ${significantText(value)} ${unit}`),
  ];
}

const COMPACT_EFFICIENCY =
  /_(total_gpu_energy|average_gpu_power|energy_per_output_token|energy_per_request|output_tokens_per_joule)$/;

function text(stats: GpuFigure["stats"], column: typeof COLUMNS[number]): string {
  const value = (stats as Partial<Record<string, number>>)[column];
  if (value === undefined || Number.isNaN(value)) return "-";
  return value !== 0 && Math.abs(value) < 0.1 ? significantText(value) : fullNumber(value);
}

function hostOf(url: string): string {
  return new URL(url).host;
}
