/** Exporters of GPU metrics, where they are read as servers' metrics are. */

import type { Engine } from "./engine.ts";
import { mean, prefixed, sum } from "./role_source.ts";

/** Parts of a divided GPU repeat the values of its board. */
const OF_BOARD = { oncePer: "UUID" };

/** NVIDIA's dcgm-exporter. */
export const DCGM: Engine = {
  name: "DCGM",
  layer: "gpu",
  prefixes: ["DCGM_FI_"],
  paths: [],
  ownPort: "9400",
  roles: prefixed("DCGM_FI_", {
    gpu: [mean("percent", "DEV_GPU_UTIL"), mean("ratio", "PROF_GR_ENGINE_ACTIVE")],
    power: [sum("watt", "DEV_POWER_USAGE", OF_BOARD)],
    energy: [sum("mJ", "DEV_TOTAL_ENERGY_CONSUMPTION", OF_BOARD)],
    "memory_used": [sum("megabytes", "DEV_FB_USED")],
  }),
};

/** AMD's device-metrics-exporter, in versions that put a prefix before its names. */
export const AMD_EXPORTER: Engine = {
  name: "AMD device metrics",
  layer: "gpu",
  prefixes: ["amd_gpu_"],
  paths: [],
  roles: prefixed("amd_gpu_", {
    gpu: [mean("percent", "gfx_activity")],
    power: [sum("watt", "package_power")],
  }),
};
