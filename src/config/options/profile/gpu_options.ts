import type { OptionTable } from "../option.ts";

const GPU = "GPU telemetry";

/** Options of a benchmark about GPUs. */
export const GPU_OPTIONS = {
  gpuTelemetry: {
    mayBeBare: true,
    kind: "texts",
    group: GPU,
    help:
      "Additional GPU exporters (localhost:9400 and :9401 are detected), or a .csv of DCGM fields",
    value: "url|file",
    completes: "file",
    secret: "url",
    words: true,
    example: "--gpu-telemetry http://node1:9400 node2:9400 fields.csv",
  },
  gpus: {
    kind: "texts",
    group: GPU,
    help: "Number of GPUs behind the server, for throughput per GPU; or prefill=N decode=N",
    value: "count",
    words: true,
    example: "--gpus 8",
  },
  noGpuTelemetry: {
    kind: "flag",
    group: GPU,
    help: "Do not detect or collect GPU telemetry",
    excludes: ["gpuTelemetry"],
  },
} as const satisfies OptionTable;
