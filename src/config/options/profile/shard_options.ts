import { SECONDS } from "../number_rows.ts";
import type { OptionTable } from "../option.ts";

const SHARDS = "Several machines";

/** Options of a process that runs one part of a plan, which others run at the same time. */
export const SHARD_OPTIONS = {
  shard: {
    kind: "text",
    group: SHARDS,
    help: "Shard of the load sent by this process: index/count (from 0), or detected: slurm, " +
      "slurm-array, k8s, mpi, auto",
    value: "i/n",
    excludes: ["shardEnv"],
    example: "--shard slurm --rendezvous node1:29400 --rendezvous-token-file token",
  },
  shardEnv: {
    kind: "text",
    group: SHARDS,
    help: "Two variables with the index and count of the shard, such as RANK,WORLD_SIZE",
    value: "index,count",
    example: "--shard-env LWS_WORKER_INDEX,LWS_GROUP_SIZE",
  },
  rendezvous: {
    kind: "text",
    group: SHARDS,
    help: "Address of shard 0, where all shards meet to compare clocks and start together",
    value: "host:port",
    excludes: ["barrier", "startAt"],
    needs: ["shard", "shardEnv"],
    example: "--shard 0/3 --rendezvous node1:29400 --rendezvous-token-file token",
  },
  rendezvousTokenFile: {
    kind: "text",
    group: SHARDS,
    help: "File with the token shared by all shards; else INFEROMETER_RENDEZVOUS_TOKEN",
    value: "file",
    completes: "file",
    needs: ["rendezvous"],
  },
  rendezvousToken: {
    kind: "text",
    group: SHARDS,
    help: "Token shared by all shards; prefer the variable INFEROMETER_RENDEZVOUS_TOKEN",
    value: "token",
    secret: "value",
  },
  rendezvousTimeout: {
    ...SECONDS,
    group: SHARDS,
    help: "Maximum wait of the shards for each other; then the run fails",
    exclusive: true,
    max: 1_000_000,
    default: 300,
  },
  barrier: {
    kind: "text",
    group: SHARDS,
    help: "Folder on a shared file system for a common start without comparing clocks; created " +
      "if missing",
    value: "folder",
    completes: "folder",
    excludes: ["startAt"],
    needs: ["shard", "shardEnv"],
    example: "--shard slurm --barrier /scratch/run1/barrier",
  },
  startAt: {
    kind: "text",
    group: SHARDS,
    help: "Start of the first phase: ISO 8601 with a zone, seconds since 1970, or +seconds",
    value: "time",
    example: "--start-at 2026-11-22T10:00:00Z",
  },
  maxLate: {
    ...SECONDS,
    group: SHARDS,
    help: "Maximum delay of a phase start against the agreed time; then the run fails",
    exclusive: true,
    max: 1_000_000,
    default: 1,
  },
  collect: {
    kind: "flag",
    group: SHARDS,
    help: "Send the files of each shard to shard 0 to be merged there, without a shared folder",
    needs: ["rendezvous"],
  },
} as const satisfies OptionTable;
