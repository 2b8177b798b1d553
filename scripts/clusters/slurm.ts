/**
 * Shards under a real Slurm: three nodes on this machine, each in a network namespace with its own
 * address, started by what `inferometer launch slurm` prints.
 *
 *     deno run -A scripts/clusters/slurm.ts [--short] [--keep] [--only NAME]...
 *
 * Runs every load shape with the clock of one node 2.5 s ahead, every way to begin together, and
 * what may go wrong on the way: shards that die, stop, come late or never, full disks, signals.
 * Needs root and Debian's Slurm (it is installed where it is missing, unless `--short` is given);
 * says so and ends well where it cannot have them. `--short` runs one load and cancels another.
 */

import { parseArgs } from "node:util";
import { checkCluster } from "./check_cluster.ts";
import { LOAD_SHAPES } from "./load_shapes.ts";
import { hasCommand } from "./run_command.ts";
import { checkWhole } from "./shard_results.ts";
import { HOST, PORT, SlurmCluster, slurmObstacle } from "./slurm_cluster.ts";
import { checkCancel, SLURM_FAILURES } from "./slurm_failures.ts";
import { check, type Steps } from "./steps.ts";

const NODES = 3;
/** How far the clock of the last node is ahead, in milliseconds. */
const AHEAD_MS = 2500;

/** Has the clock of the last node be ahead; the offsets that are to be found. */
async function withAhead<T>(
  cluster: SlurmCluster,
  work: (aheadMs: readonly number[]) => Promise<T>,
): Promise<T> {
  if (!await hasCommand("faketime")) return await work([0, 0, 0]);
  const script = `export FAKETIME_DONT_FAKE_MONOTONIC=1
first='faketime -f +${AHEAD_MS / 1000}s'`;
  return await cluster.before(NODES, script, () => work([0, 0, AHEAD_MS]));
}

/** Runs a load against the server of each node. */
async function checkLoad(cluster: SlurmCluster, name: string): Promise<string> {
  const { options, requests } = LOAD_SHAPES[name] as typeof LOAD_SHAPES[string];
  return await withAhead(cluster, async (aheadMs) => {
    const job = await cluster.submit(name, options);
    await cluster.completed(job);
    return await checkWhole(job.folder, NODES, { aheadMs, requests });
  });
}

/** Runs a load against one server of all nodes: what it has seen is what was sent. */
async function checkOneServer(cluster: SlurmCluster): Promise<string> {
  const job = await cluster.submit("one-server", [
    ...["--concurrency", "9", "--request-count", "60", "--warmup-request-count", "9"],
  ], `${HOST}:${PORT}`);
  await cluster.completed(job);
  const text = await checkWhole(job.folder, NODES, { aheadMs: [0, 0, 0], requests: 60 });
  const read = async (folder: string) =>
    JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
  const merged = await read(job.folder);
  const [requests] = merged.server_reconciliation;
  const counts = `client ${requests?.client}, server ${requests?.server}`;
  check(requests?.client === 60 && requests.server === 60, counts);
  const { server_reconciliation: own } = await read(`${job.folder}/shard-0000-of-0003`);
  check(own.length === 0, "shard 0 compares its part with the whole");
  return `${text}; ${counts}`;
}

/** Begins together in the other ways: clocks are not compared. */
async function checkStart(cluster: SlurmCluster, name: string, how: string): Promise<string> {
  const folder = cluster.folder(name);
  const load = `--concurrency 9 --request-count 60 --random-seed 5 --artifact-dir '${folder}'`;
  const script = `#!/bin/bash
#SBATCH --job-name=${name} --nodes=${NODES} --ntasks-per-node=1 --cpus-per-task=1
mkdir -p '${folder}'
START=$(($(date +%s) + 12))
export START
srun --output='${folder}/shard-%t.log' "$INFEROMETER" profile --shard slurm ${how} \\
  ${cluster.common().join(" ")} ${load} && "$INFEROMETER" merge '${folder}' --expect-shards ${NODES}
`;
  const job = await cluster.submitScript(name, script);
  await cluster.completed(job);
  return await checkWhole(folder, NODES, { aheadMs: undefined, requests: 60 });
}

/** Processes that srun starts without `--shard` are told that each of them sends everything. */
async function checkUnsharded(cluster: SlurmCluster): Promise<string> {
  const folder = cluster.folder("unsharded");
  const job = await cluster.submitScript(
    "unsharded",
    `#!/bin/bash
#SBATCH --job-name=unsharded --nodes=${NODES} --ntasks-per-node=1 --cpus-per-task=1
mkdir -p '${folder}'
srun --output='${folder}/shard-%t.log' sh -c '"$INFEROMETER" profile --artifact-dir "${folder}/own-$SLURM_PROCID" \\
  ${cluster.common().join(" ")} --concurrency 2 --request-count 4'
`,
  );
  await cluster.completed(job);
  const warnings = (await cluster.log(job)).match(/divide it with --shard slurm/g) ?? [];
  check(warnings.length === NODES, `${warnings.length} of ${NODES} processes warned`);
  return `${NODES} processes warned`;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      short: { type: "boolean" },
      keep: { type: "boolean" },
      only: { type: "string", multiple: true },
    },
  });
  const isShort = values.short === true;
  return await checkCluster({
    what: "shards under Slurm",
    obstacle: await slurmObstacle(isShort),
    prefix: "inferometer-slurm-",
    keep: values.keep,
    only: values.only,
    create: (lab) => new SlurmCluster(lab, NODES),
    async take(cluster, steps) {
      await cluster.up();
      for (const name of isShort ? ["closed"] : Object.keys(LOAD_SHAPES)) {
        await steps.take(name, () => checkLoad(cluster, name));
      }
      await steps.take("scancel", () => checkCancel(cluster));
      if (!isShort) await takeLong(cluster, steps);
    },
  });
}

/** Takes the steps that `--short` leaves out. */
async function takeLong(cluster: SlurmCluster, steps: Steps): Promise<void> {
  await steps.take("one-server", () => checkOneServer(cluster));
  const barrier = `--barrier '${cluster.lab}/barriers/1'`;
  await steps.take("barrier", () => checkStart(cluster, "barrier", barrier));
  await steps.take("start-at", () => checkStart(cluster, "start-at", "--start-at $START"));
  await steps.take("unsharded", () => checkUnsharded(cluster));
  for (const [name, work] of Object.entries(SLURM_FAILURES)) {
    await steps.take(name, () => work(cluster));
  }
}

if (import.meta.main) Deno.exit(await main());
