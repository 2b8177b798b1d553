import type { OptionTable } from "../option.ts";

const GPU = "GPU telemetry";

/** Options of a benchmark about GPUs. */
export const GPU_OPTIONS = {
  gpuTelemetry: {
    mayBeBare: true,
    kind: "texts",
    group: GPU,
    help: "GPU exporters besides localhost:9400 and localhost:9401, or a .csv list of DCGM fields",
    value: "url|file",
    secret: "url",
    words: true,
    example: "--gpu-telemetry http://node1:9400 node2:9400 fields.csv",
  },
  gpus: {
    kind: "texts",
    group: GPU,
    help: "Number of GPUs that serve the load, for throughput per GPU; or prefill=N decode=N",
    value: "count",
    words: true,
    example: "--gpus 8",
  },
  noGpuTelemetry: {
    kind: "flag",
    group: GPU,
    help: "Collect no GPU telemetry, and look for none",
    excludes: ["gpuTelemetry"],
  },
} as const satisfies OptionTable;
