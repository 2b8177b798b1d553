import { SECONDS } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

const SHARDS = "Several machines";

/** Options of a process that runs one part of a plan, which others run at the same time. */
export const SHARD_OPTIONS = {
  shard: {
    kind: "text",
    group: SHARDS,
    help: "The part of the load that this process sends: index/count, the index from 0, or the " +
      "launcher that says so: slurm, slurm-array, k8s, mpi, auto",
    value: "i/n",
    excludes: ["shardEnv"],
    example: "--shard slurm --rendezvous node1:29400 --rendezvous-token-file token",
  },
  shardEnv: {
    kind: "text",
    group: SHARDS,
    help: "Two variables that hold index and count of the part, such as RANK,WORLD_SIZE",
    value: "index,count",
    example: "--shard-env LWS_WORKER_INDEX,LWS_GROUP_SIZE",
  },
  rendezvous: {
    kind: "text",
    group: SHARDS,
    help: "Where shard 0 listens and the others come: clocks are compared, all begin together",
    value: "host:port",
    excludes: ["barrier", "startAt"],
    needs: ["shard", "shardEnv"],
    example: "--shard 0/3 --rendezvous node1:29400 --rendezvous-token-file token",
  },
  rendezvousTokenFile: {
    kind: "text",
    group: SHARDS,
    help: "File with the token that all shards share; else INFEROMETER_RENDEZVOUS_TOKEN",
    value: "file",
    completes: "file",
    needs: ["rendezvous"],
  },
  rendezvousToken: {
    kind: "text",
    group: SHARDS,
    help: "That token itself; better set by the variable INFEROMETER_RENDEZVOUS_TOKEN",
    value: "token",
    secret: "value",
  },
  rendezvousTimeout: {
    ...SECONDS,
    group: SHARDS,
    help: "Time that shards wait for each other before the run fails",
    exclusive: true,
    max: 1_000_000,
    default: 300,
  },
  barrier: {
    kind: "text",
    group: SHARDS,
    help: "Folder on a file system of all shards, created if missing, through which they begin " +
      "together; without a comparison of clocks",
    value: "folder",
    completes: "folder",
    excludes: ["startAt"],
    needs: ["shard", "shardEnv"],
    example: "--shard slurm --barrier /scratch/run1/barrier",
  },
  startAt: {
    kind: "text",
    group: SHARDS,
    help: "When the first phase begins: ISO 8601 with a zone, seconds since 1970, or +seconds",
    value: "time",
    example: "--start-at 2026-11-22T10:00:00Z",
  },
  maxLate: {
    ...SECONDS,
    group: SHARDS,
    help: "How much later than agreed a phase may begin; later, the run fails",
    exclusive: true,
    max: 1_000_000,
    default: 1,
  },
  collect: {
    kind: "flag",
    group: SHARDS,
    help: "Send the files of each shard to shard 0, which merges them: where no folder is shared",
    needs: ["rendezvous"],
  },
} as const satisfies OptionTable;
