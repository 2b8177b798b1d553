import { COUNT, SECONDS } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

const LAUNCH = "Launch";
const KUBERNETES = "Kubernetes";

/** Options of `inferometer launch` besides those of the run. */
export const LAUNCH_OPTIONS = {
  shards: {
    ...COUNT,
    group: LAUNCH,
    help: "Number of processes (shards)",
    unit: "shards",
    max: 10_000,
    common: true,
    example: "--shards 4",
  },
  tasksPerNode: {
    ...COUNT,
    group: LAUNCH,
    help: "Number of processes per node (Slurm, MPI)",
    unit: "processes",
    max: 1000,
    default: 1,
  },
  cpus: {
    kind: "number",
    group: LAUNCH,
    help: "Cores per process (Slurm, Kubernetes); whole numbers only with Slurm",
    value: "number",
    unit: "cores",
    min: 0.01,
    max: 1024,
    default: 2,
  },
  timeLimit: {
    ...SECONDS,
    group: LAUNCH,
    help: "Time limit of the job (Slurm, Kubernetes)",
    min: 1,
    defaultText: "the default of the scheduler",
    example: "--time-limit 30m",
  },
  jobName: {
    kind: "text",
    group: LAUNCH,
    help: "Name of the job",
    value: "name",
    default: "inferometer",
  },
  rendezvousPort: {
    kind: "number",
    group: LAUNCH,
    help: "Port of shard 0",
    value: "port",
    min: 1,
    max: 65535,
    integer: true,
    default: 29400,
  },
  image: {
    kind: "text",
    group: KUBERNETES,
    help: "Container image with inferometer as its entry point",
    value: "image",
    defaultText: "inferometer:<version>",
  },
  memory: {
    kind: "text",
    group: KUBERNETES,
    help: "Memory per process",
    value: "quantity",
    default: "2Gi",
  },
  claim: {
    kind: "text",
    group: KUBERNETES,
    help: "Volume claim for the result files, writable by all pods",
    value: "name",
    defaultText: "none: pods send their files to shard 0 (--collect)",
    example: "--claim results",
  },
  jobset: {
    kind: "flag",
    group: KUBERNETES,
    help: "Print a JobSet instead of a Job and a Service",
  },
} as const satisfies OptionTable;
