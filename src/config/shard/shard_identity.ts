import { UsageError } from "../options/usage_error.ts";
import { MAX_SHARDS, type Shard } from "./shard.ts";

/** Reads a variable of the environment; undefined if it is not set, or may not be read. */
export type ReadVariable = (name: string) => string | undefined;

/** Variables by which a launcher identifies its processes. */
export interface Launcher {
  /** Name in `--shard`. */
  readonly name: string;
  /** Launcher that started the process, as text. */
  readonly what: string;
  /** The variables that are read. */
  readonly variables: readonly string[];
  /** Whether it started this process as one of several that begin together. */
  isPresent(read: ReadVariable): boolean;
  /** @throws {UsageError} if its variables do not say it */
  shard(read: ReadVariable): Shard;
}

/** Ranks and sizes of MPI's process managers; the first pair whose rank is set counts. */
const MPI_PAIRS = [
  ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"],
  ["PMI_RANK", "PMI_SIZE"],
  ["MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"],
  // PMIx has no variable with the size.
  ["PMIX_RANK", "INFEROMETER_SHARDS"],
] as const;

const SLURM: Launcher = {
  name: "slurm",
  what: "srun",
  // SLURM_NTASKS is also set in the batch script itself, which is one process and no task.
  variables: ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS"],
  isPresent: (read) => read("SLURM_STEP_NUM_TASKS") !== undefined,
  shard: (read) =>
    pairOf("slurm", ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS"], read, "start it by srun"),
};

const SLURM_ARRAY: Launcher = {
  name: "slurm-array",
  what: "an array of sbatch",
  variables: [
    ...["SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"],
    ...["SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX"],
  ],
  // Its elements may begin hours apart: nothing that is chosen by itself, nor warned of.
  isPresent: () => false,
  shard(read) {
    const [id, count, min, max] = this.variables.map((name) =>
      numberOf("slurm-array", name, read, "start it by sbatch --array")
    ) as [number, number, number, number];
    const step = count > 1 ? (max - min) / (count - 1) : 1;
    const index = (id - min) / step;
    if (!Number.isInteger(step) || !Number.isInteger(index)) {
      throw new UsageError(
        "--shard",
        `slurm-array needs an array with even steps, as --array 0-${count - 1}: this one has ` +
          `${count} tasks from ${min} to ${max}, and this is ${id}`,
      );
    }
    return { index, count };
  },
};

const KUBERNETES: Launcher = {
  name: "k8s",
  what: "an Indexed Job",
  variables: ["JOB_COMPLETION_INDEX", "INFEROMETER_SHARDS"],
  isPresent: (read) => read("JOB_COMPLETION_INDEX") !== undefined,
  shard: (read) =>
    pairOf(
      "k8s",
      ["JOB_COMPLETION_INDEX", "INFEROMETER_SHARDS"],
      read,
      "in an Indexed Job, set INFEROMETER_SHARDS to its number of completions",
    ),
};

const MPI: Launcher = {
  name: "mpi",
  what: "mpirun",
  variables: MPI_PAIRS.flat(),
  // A step of Slurm may have PMIX_RANK too, and says more itself.
  isPresent: (read) =>
    MPI_PAIRS.some(([rank, size]) => rank !== "PMIX_RANK" && read(size) !== undefined),
  shard(read) {
    const pair = MPI_PAIRS.find(([rank]) => read(rank) !== undefined) ?? MPI_PAIRS[0];
    const advice = pair[0] === "PMIX_RANK"
      ? "PMIx does not report the number of processes; set it to that number"
      : "start it by mpirun";
    return pairOf("mpi", pair, read, advice);
  },
};

/**
 * The launchers, in the order in which `auto` looks for them: what mpirun starts may be inside of a
 * step of Slurm that has one task on each node.
 */
const LAUNCHERS: readonly Launcher[] = [MPI, SLURM, KUBERNETES, SLURM_ARRAY];
const AUTOMATIC = LAUNCHERS.filter((launcher) => launcher !== SLURM_ARRAY);

/** All variables that identify the shard of a process, apart from those of `--shard-env`. */
export const SHARD_VARIABLES: readonly string[] = [
  ...new Set(LAUNCHERS.flatMap(({ variables }) => variables)),
];

/**
 * Returns the shard that the options name; undefined without any. Only the variables of the
 * launcher that is named are read.
 * @param shard `--shard`: `i/n`, the name of a launcher, or `auto`
 * @param names `--shard-env`: two variables with a comma between
 * @throws {UsageError} if they do not identify a shard
 */
export function shardIdentity(
  shard: string | undefined,
  names: string | undefined,
  read: ReadVariable,
): Shard | undefined {
  if (names !== undefined) return ofVariables(names, read);
  if (shard === undefined) return undefined;
  const fraction = /^(\d{1,6})\/(\d{1,6})$/.exec(shard.trim());
  if (fraction !== null) {
    return checked("--shard", Number(fraction[1]), Number(fraction[2]), shard.trim());
  }
  if (shard === "auto") {
    const found = AUTOMATIC.find((launcher) => launcher.isPresent(read));
    if (found !== undefined) return found.shard(read);
    const sought = AUTOMATIC.map(({ name, what }) => `${what} (${name})`).join(", ");
    throw new UsageError("--shard", `auto finds no launcher: looked for ${sought}`);
  }
  const launcher = LAUNCHERS.find(({ name }) => name === shard);
  if (launcher !== undefined) return launcher.shard(read);
  throw new UsageError(
    "--shard",
    `Must be i/n, as 0/4, or one of ${
      ["auto", ...LAUNCHERS.map(({ name }) => name)].join(", ")
    }: ` +
      `got ${JSON.stringify(shard)}`,
  );
}

/**
 * Returns a warning for a process that a launcher started as one of several without `--shard`: each
 * of them would send the whole load. Returns undefined if there is nothing to warn about.
 */
export function unshardedWarning(read: ReadVariable): string | undefined {
  // One that started this process alone may itself have been started as one of several.
  const present = AUTOMATIC.filter((launcher) => launcher.isPresent(read))
    .map((launcher) => ({ launcher, size: sizeSaidBy(launcher, read) }));
  const several = present.find(({ size }) => size === undefined || Number(size) > 1);
  if (several === undefined) return undefined;
  const { launcher: found, size } = several;
  const times = size === undefined ? "as many times as there are processes" : `${size} times`;
  return `${found.what} started this process as one of several. Each sends the whole load, ${times} ` +
    `in total; divide it with --shard ${found.name}`;
}

/** How many processes a launcher started, as its variables say it; undefined if they do not. */
function sizeSaidBy({ variables }: Launcher, read: ReadVariable): string | undefined {
  return variables.map((name, place) => place % 2 === 1 ? read(name) : undefined)
    .find((value) => value !== undefined);
}

function ofVariables(names: string, read: ReadVariable): Shard {
  const pair = names.split(",").map((name) => name.trim());
  if (pair.length !== 2 || !pair.every((name) => /^[A-Za-z_]\w*$/.test(name))) {
    throw new UsageError(
      "--shard-env",
      `Must be two variables, of the index and of the count, as RANK,WORLD_SIZE: got ` +
        JSON.stringify(names),
    );
  }
  const [index, count] = pair.map((name) => {
    const text = read(name);
    if (text !== undefined && /^\d{1,6}$/.test(text.trim())) return Number(text);
    throw new UsageError(
      "--shard-env",
      text === undefined
        ? `The variable ${name} is not set, or not one that the program reads: ` +
          `write its value, as --shard "$INDEX/$COUNT"`
        : `The variable ${name} must be a whole number: got ${JSON.stringify(text)}`,
    );
  }) as [number, number];
  return checked("--shard-env", index, count, `${pair[0]}=${index}, ${pair[1]}=${count}`);
}

function pairOf(
  launcher: string,
  [index, count]: readonly [string, string],
  read: ReadVariable,
  advice: string,
): Shard {
  const values = [index, count].map((name) => numberOf(launcher, name, read, advice));
  const [own, all] = values as [number, number];
  return checked("--shard", own, all, `${index}=${own}, ${count}=${all}`);
}

function numberOf(launcher: string, name: string, read: ReadVariable, advice: string): number {
  const text = read(name);
  if (text === undefined) {
    throw new UsageError("--shard", `${launcher} needs the variable ${name}: ${advice}`);
  }
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(
    "--shard",
    `The variable ${name} must be a whole number: got ${JSON.stringify(text)}`,
  );
}

function checked(option: string, index: number, count: number, given: string): Shard {
  if (count >= 1 && count <= MAX_SHARDS && index < count) return { index, count };
  throw new UsageError(
    option,
    count > MAX_SHARDS
      ? `At most ${MAX_SHARDS} shards: got ${given}`
      : `The index counts from 0 and is below the count: got ${given}`,
  );
}
