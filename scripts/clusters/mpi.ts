/**
 * Shards under a real mpirun: three nodes on this machine, each in a network namespace with its own
 * address, started by what `inferometer launch mpi` prints.
 *
 *     deno run -A scripts/clusters/mpi.ts [--keep] [--only NAME]...
 *
 * Needs root, Debian's openmpi-bin, and Slurm's packages for its nodes (`slurm_cluster.ts`); says so
 * and ends well where it cannot have them.
 */

import { parseArgs } from "node:util";
import { checkCluster } from "./check_cluster.ts";
import { hasCommand, type Ran, runCommand } from "./run_command.ts";
import { checkWhole } from "./shard_results.ts";
import { SlurmCluster, slurmObstacle } from "./slurm_cluster.ts";
import { check } from "./steps.ts";

const NODES = 3;
const LOAD = ["--concurrency", "9", "--request-count", "60", "--warmup-request-count", "7"];

/** Runs what `launch mpi` prints, on the nodes. */
async function launched(cluster: SlurmCluster, name: string): Promise<Ran> {
  const printed = await cluster.inferometer([
    ...["launch", "mpi", "--shards", String(NODES), "--artifact-dir", cluster.folder(name)],
    ...[...cluster.common(), ...LOAD, "--rendezvous-timeout", "30"],
  ]);
  check(printed.code === 0, `launch: ${printed.stderr}`);
  const script = `${cluster.lab}/${name}.sh`;
  await Deno.writeTextFile(script, printed.stdout);
  // Takes the place of ssh.
  const agent = `${cluster.lab}/agent`;
  const hosts = `${cluster.lab}/slurm/etc/hosts`;
  await Deno.writeTextFile(
    agent,
    `#!/bin/sh
node=$1
shift
exec nsenter --net="/run/netns/slurm-$node" unshare --uts --mount sh -c \\
  "hostname $node; mount --bind '${hosts}' /etc/hosts; $*"
`,
    { mode: 0o755 },
  );
  const words = [
    ...["mpirun", "--allow-run-as-root", "--host", "n1,n2,n3", "--mca", "plm_rsh_agent", agent],
    ...["--mca", "oob_tcp_if_include", "10.77.0.0/24", "--mca", "plm_rsh_no_tree_spawn", "1"],
  ];
  return await runCommand("env", [
    ...[`MPIRUN=${words.join(" ")}`, "HEAD=n1", `INFEROMETER=${cluster.lab}/inferometer`],
    ...["bash", script],
  ]);
}

async function checkRun(cluster: SlurmCluster): Promise<string> {
  const { code, stdout, stderr } = await launched(cluster, "mpi");
  check(code === 0, `it ends with ${code}\n${stdout}${stderr}`);
  return await checkWhole(cluster.folder("mpi"), NODES, { aheadMs: [0, 0, 0], requests: 60 });
}

/** A process that ends at once: the others say so, and mpirun does not end them before. */
async function checkFailure(cluster: SlurmCluster): Promise<string> {
  return await cluster.before(2, "exit 9", async () => {
    const { code, stderr } = await launched(cluster, "mpi-missing");
    check(code === 1, `it ends with ${code}`);
    const texts = stderr.match(/shard 1 of 3 did not come within 30 s/g) ?? [];
    check(texts.length === 2, `${texts.length} shards say who is missing:\n${stderr}`);
    return "both others say who is missing";
  });
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    args: Deno.args,
    options: { keep: { type: "boolean" }, only: { type: "string", multiple: true } },
  });
  return await checkCluster({
    what: "shards under mpirun",
    obstacle: await hasCommand("mpirun")
      ? await slurmObstacle(true)
      : "mpirun is not installed (apt-get install openmpi-bin)",
    prefix: "inferometer-mpi-",
    keep: values.keep,
    only: values.only,
    create: (lab) => new SlurmCluster(lab, NODES),
    async take(cluster, steps) {
      await cluster.up();
      await steps.take("mpi", () => checkRun(cluster));
      await steps.take("missing", () => checkFailure(cluster));
    },
  });
}

if (import.meta.main) Deno.exit(await main());
