import assert from "node:assert/strict";
import fc from "fast-check";
import { UsageError } from "../../../src/config/options/usage_error.ts";
import {
  SHARD_VARIABLES,
  shardIdentity,
  unshardedWarning,
} from "../../../src/config/shard/shard_identity.ts";
import { ENVIRONMENT_VARIABLES } from "../../../src/config/sandbox/environment.ts";
import { globalIndexOf, shardFolderName, shareOf } from "../../../src/config/shard/shard.ts";

type Environment = Readonly<Record<string, string>>;

function of(shard: string | undefined, environment: Environment = {}, names?: string) {
  return shardIdentity(shard, names, (name) => environment[name]);
}

function refused(pattern: RegExp, ...args: Parameters<typeof of>): void {
  assert.throws(() => of(...args), (error) => {
    assert.ok(error instanceof UsageError, String(error));
    assert.match(error.message, pattern);
    return true;
  });
}

/** Environments as the launchers really made them, and what they say. */
const STEP = { SLURM_PROCID: "2", SLURM_STEP_NUM_TASKS: "3", SLURM_NTASKS: "3" };
const BATCH = { SLURM_PROCID: "0", SLURM_NTASKS: "3" };
const ARRAY = {
  ...{ SLURM_PROCID: "0", SLURM_ARRAY_TASK_ID: "14", SLURM_ARRAY_TASK_COUNT: "4" },
  ...{ SLURM_ARRAY_TASK_MIN: "10", SLURM_ARRAY_TASK_MAX: "16" },
};
const JOB = { JOB_COMPLETION_INDEX: "1", INFEROMETER_SHARDS: "4" };
const OPEN_MPI = { OMPI_COMM_WORLD_RANK: "5", OMPI_COMM_WORLD_SIZE: "6" };
const MVAPICH = { MV2_COMM_WORLD_RANK: "3", MV2_COMM_WORLD_SIZE: "5" };
const PMI = { PMI_RANK: "1", PMI_SIZE: "2" };

Deno.test("shardIdentity takes what is written, or what the launcher says", () => {
  assert.equal(of(undefined, { ...STEP, ...JOB }), undefined, "never by itself");
  assert.deepEqual(of("0/1"), { index: 0, count: 1 });
  assert.deepEqual(of("3/8"), { index: 3, count: 8 });
  assert.deepEqual(of("slurm", STEP), { index: 2, count: 3 });
  assert.deepEqual(of("slurm-array", ARRAY), { index: 2, count: 4 });
  assert.deepEqual(of("k8s", JOB), { index: 1, count: 4 });
  assert.deepEqual(of("mpi", OPEN_MPI), { index: 5, count: 6 });
  assert.deepEqual(of("mpi", PMI), { index: 1, count: 2 });
  assert.deepEqual(of("mpi", MVAPICH), { index: 3, count: 5 });
  assert.deepEqual(of("mpi", { ...OPEN_MPI, PMIX_RANK: "5" }), { index: 5, count: 6 });
  assert.deepEqual(of("mpi", { PMIX_RANK: "2", INFEROMETER_SHARDS: "3" }), { index: 2, count: 3 });
  assert.deepEqual(of(undefined, { A: "1", B: "2" }, "A,B"), { index: 1, count: 2 });
});

Deno.test("shardIdentity finds the launcher with auto, that of the processes before that of the nodes", () => {
  assert.deepEqual(of("auto", STEP), { index: 2, count: 3 });
  assert.deepEqual(of("auto", JOB), { index: 1, count: 4 });
  // mpirun starts one task of Slurm on each node, and its own processes inside.
  const nested = { ...OPEN_MPI, SLURM_PROCID: "0", SLURM_STEP_NUM_TASKS: "2" };
  assert.deepEqual(of("auto", nested), { index: 5, count: 6 });
  // srun with PMIx.
  assert.deepEqual(of("auto", { ...STEP, PMIX_RANK: "2" }), { index: 2, count: 3 });
  refused(/auto finds no launcher/, "auto", {});
  refused(/auto finds no launcher/, "auto", ARRAY);
});

Deno.test("shardIdentity reads the variables of the chosen launcher alone", () => {
  const read: string[] = [];
  shardIdentity("slurm", undefined, (name) => {
    read.push(name);
    return { ...STEP, ...JOB, ...OPEN_MPI }[name];
  });
  assert.deepEqual(read.toSorted(), ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS"]);
});

Deno.test("shardIdentity refuses what does not say which shard, and says why", () => {
  // In the batch script a process would else be shard 0 of 3, and alone.
  refused(/needs the variable SLURM_STEP_NUM_TASKS: start it by srun/, "slurm", BATCH);
  refused(/set INFEROMETER_SHARDS/, "k8s", { JOB_COMPLETION_INDEX: "0" });
  refused(/OMPI_COMM_WORLD_RANK: start it by mpirun/, "mpi", {});
  refused(/INFEROMETER_SHARDS: PMIx does not report the number/, "mpi", { PMIX_RANK: "1" });
  refused(/index counts from 0 .* 3\/3/, "3/3");
  refused(/index counts from 0/, "0/0");
  refused(/At most 10000/, "0/10001");
  refused(/Must be i\/n, as 0\/4, or one of auto/, "slrm");
  refused(/Must be i\/n/, "-1/3");
  refused(/whole number: got "x"/, "slurm", { ...STEP, SLURM_PROCID: "x" });
  // 1,2,4: not even.
  const sparse = { ...ARRAY, SLURM_ARRAY_TASK_COUNT: "3" };
  const uneven = { ...sparse, SLURM_ARRAY_TASK_MIN: "1", SLURM_ARRAY_TASK_MAX: "4" };
  refused(/even steps/, "slurm-array", uneven);
  refused(/Must be two variables/, undefined, {}, "RANK");
  refused(/RANK is not set/, undefined, {}, "RANK,WORLD_SIZE");
  refused(/must be a whole number/, undefined, { A: "1.5", B: "2" }, "A,B");
  refused(/below the count: got A=2, B=2/, undefined, { A: "2", B: "2" }, "A,B");
});

Deno.test("unshardedWarning tells of every launcher that started several processes", () => {
  const warning = (environment: Environment) => unshardedWarning((name) => environment[name]);
  assert.match(warning(STEP) ?? "", /srun .* 3 times in total; divide it with --shard slurm/);
  assert.match(warning(JOB) ?? "", /Indexed Job .* 4 times .* --shard k8s/);
  assert.match(warning({ JOB_COMPLETION_INDEX: "0" }) ?? "", /as many times as there are/);
  assert.match(warning(OPEN_MPI) ?? "", /mpirun .* 6 times .* --shard mpi/);
  assert.match(warning(PMI) ?? "", /mpirun .* 2 times/);
  assert.match(warning(MVAPICH) ?? "", /mpirun .* 5 times/);
  // Each of several tasks of Slurm starts one process by mpirun.
  const alone = { ...STEP, OMPI_COMM_WORLD_RANK: "0", OMPI_COMM_WORLD_SIZE: "1" };
  assert.match(warning(alone) ?? "", /srun .* 3 times/);
  assert.equal(warning({}), undefined);
  assert.equal(warning(BATCH), undefined, "a batch script is one process");
  assert.equal(warning({ ...STEP, SLURM_STEP_NUM_TASKS: "1" }), undefined);
  assert.equal(warning(ARRAY), undefined, "an array is of runs that do not begin together");
});

Deno.test("every variable that says which shard a process is may be read", () => {
  for (const name of SHARD_VARIABLES) {
    assert.ok(ENVIRONMENT_VARIABLES.includes(name) || name.startsWith("INFEROMETER_"), name);
  }
});

Deno.test("shardFolderName keeps the order of shards", () => {
  assert.equal(shardFolderName({ index: 3, count: 8 }), "shard-0003-of-0008");
});

Deno.test("shareOf counts the numbers that globalIndexOf gives", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 500 }),
      fc.integer({ min: 1, max: 20 }),
      fc.nat(),
      (total, count, i) => {
        const shard = { index: i % count, count };
        const own = shareOf(total, shard);
        if (own > 0) assert.ok(globalIndexOf(own - 1, shard) < total);
        assert.ok(globalIndexOf(own, shard) >= total);
        assert.equal(shareOf(Infinity, shard), Infinity);
        assert.equal(shareOf(total, undefined), total);
      },
    ),
  );
});
