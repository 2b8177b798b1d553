/**
 * Fields of a GPU: the keys, headers and units of AIPerf's files, and the exporter metrics that
 * provide them.
 *
 * Sources: NVIDIA's dcgm-exporter (`DCGM_FI_*`), AMD's device-metrics-exporter (`gpu_*`, in newer
 * versions with `amd_` before it), Prometheus' node_exporter (`node_hwmon_*` of amdgpu chips).
 */

/** Who made a GPU. */
export type GpuPlatform = "nvidia" | "amd";

/** How the numbers of a field are read. */
export type GpuFieldKind =
  /** A level: statistics of its samples. */
  | "gauge"
  /** Grows all the time: what it grew by, between samples in proportion to the time. */
  | "energy"
  /** Time that grows with the run: extended like energy, but zero while it does not grow. */
  | "time"
  /** Grows at times: what it grew by. */
  | "counter"
  /** Code of the last error, which AIPerf reports as the difference of codes. */
  | "code";

/** A metric of an exporter, without `_total`, and the factor into the field's unit. */
export interface GpuFieldSource {
  readonly name: string;
  readonly scale: number;
}

/** A row of the table. */
export interface GpuField {
  /** Key in the files. */
  readonly key: string;
  readonly header: string;
  readonly unit: string;
  readonly kind: GpuFieldKind;
  readonly platform: GpuPlatform;
  /** The first that a GPU has counts. */
  readonly sources: readonly GpuFieldSource[];
  /** How the values of a divided GPU's parts are combined. @default their mean */
  readonly instances?: "sum";
}

const MJ_OF_MILLIJOULE = 1e-9;
const MJ_OF_MICROJOULE = 1e-12;
const GB_OF_MIB = 1.048576e-3;
const PERCENT_OF_RATIO = 100;
const US_OF_NS = 1e-3;

/** All fields, in the order of AIPerf's tables. */
export const GPU_FIELDS: readonly GpuField[] = [
  nvidia("power_usage", "GPU Power Usage", "W", "gauge", "DEV_POWER_USAGE"),
  nvidia(
    "energy_consumption",
    "Energy Consumption",
    "MJ",
    "energy",
    "DEV_TOTAL_ENERGY_CONSUMPTION",
    MJ_OF_MILLIJOULE,
  ),
  nvidia("gpu_utilization", "GPU Utilization", "%", "gauge", "DEV_GPU_UTIL"),
  nvidia("memory_utilization", "Memory Utilization", "%", "gauge", "DEV_MEM_COPY_UTIL"),
  {
    ...nvidia("memory_used", "GPU Memory Used", "GB", "gauge", "DEV_FB_USED", GB_OF_MIB),
    instances: "sum",
  },
  nvidia("temperature", "GPU Temperature", "°C", "gauge", "DEV_GPU_TEMP"),
  nvidia("sm_utilization", "SM Utilization", "%", "gauge", "PROF_SM_ACTIVE", PERCENT_OF_RATIO),
  nvidia("decoder_utilization", "Decoder Utilization", "%", "gauge", "DEV_DEC_UTIL"),
  nvidia("encoder_utilization", "Encoder Utilization", "%", "gauge", "DEV_ENC_UTIL"),
  nvidia("xid_errors", "XID Errors", "count", "code", "DEV_XID_ERRORS"),
  nvidia("power_violation", "Power Violation", "us", "time", "DEV_POWER_VIOLATION", US_OF_NS),
  amd("power", "AMD GPU Power", "W", "gauge", [
    ...bothNames("power_usage"),
    ...bothNames("package_power"),
    ...bothNames("average_package_power"),
    ...["average_watt", "input_watt", "watt"].map((name) => ({
      name: `node_hwmon_power_${name}`,
      scale: 1,
    })),
  ]),
  amd("energy_consumption", "AMD Energy Consumption", "MJ", "energy", [
    ...bothNames("energy_consumed", MJ_OF_MICROJOULE),
  ]),
  amd("gfx_activity", "AMD GFX Activity", "%", "gauge", bothNames("gfx_activity")),
  amd("umc_activity", "AMD UMC Activity", "%", "gauge", bothNames("umc_activity")),
  amd("mm_activity", "AMD MM Activity", "%", "gauge", bothNames("mma_activity")),
  amd("memory_used", "AMD GPU Memory Used", "GB", "gauge", bothNames("used_vram", GB_OF_MIB)),
  amd("temperature", "AMD GPU Temperature", "°C", "gauge", [
    ...bothNames("junction_temperature"),
    ...bothNames("edge_temperature"),
  ]),
  amd("ecc_uncorrectable", "AMD ECC Uncorrectable", "count", "counter", [
    ...bothNames("ecc_uncorrect"),
  ]),
];

function nvidia(
  name: string,
  header: string,
  unit: string,
  kind: GpuFieldKind,
  field: string,
  scale = 1,
): GpuField {
  return {
    ...{ key: `nvidia_${name}`, header: `NVIDIA ${header}`, unit, kind, platform: "nvidia" },
    sources: [{ name: `DCGM_FI_${field}`, scale }],
  };
}

function amd(
  name: string,
  header: string,
  unit: string,
  kind: GpuFieldKind,
  sources: readonly GpuFieldSource[],
): GpuField {
  return { key: `amd_${name}`, header, unit, kind, platform: "amd", sources };
}

/** A metric of AMD's exporter, with and without the usual prefix. */
function bothNames(name: string, scale = 1): GpuFieldSource[] {
  return [{ name: `gpu_${name}`, scale }, { name: `amd_gpu_${name}`, scale }];
}
