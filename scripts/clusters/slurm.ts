// deno-lint-ignore-file no-console
/**
 * Shards under a real Slurm: three nodes on this machine, each in a network namespace with its own
 * address, started by what `inferometer launch slurm` prints.
 *
 *     deno run -A scripts/clusters/slurm.ts [--short] [--keep]
 *
 * Needs root and Debian's Slurm (it is installed where it is missing, unless `--short` is given);
 * says so and ends well where it cannot have them. `--short` runs one load, with the clock of one
 * node 2.5 s ahead, and cancels another in its midst.
 */

import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NODES = 3;
const PORT = 18_000;
/** How far the clock of the last node is ahead, in milliseconds. */
const AHEAD_MS = 2500;
const JOB_SECONDS = 180;

/** Load shapes, by what they are called. */
const LOADS: Readonly<Record<string, readonly string[]>> = {
  closed: ["--concurrency", "9", "--request-count", "60", "--warmup-request-count", "7"],
  ramp: [
    ...["--concurrency", "12", "--concurrency-ramp-duration", "2", "--request-count", "90"],
    ...["--prefill-concurrency", "6"],
  ],
  poisson: ["--request-rate", "30", "--request-count", "60", "--concurrency", "30"],
  gamma: [
    ...["--request-rate", "30", "--arrival-pattern", "gamma", "--arrival-smoothness", "3"],
    ...["--request-count", "60"],
  ],
  series: [
    ...["--request-rate-series", '[{"time_s":0,"qps":5},{"time_s":3,"qps":30}]'],
    ...["--benchmark-duration", "4"],
  ],
  users: [
    ...["--user-centric-rate", "20", "--num-users", "10", "--num-sessions", "20"],
    ...["--session-turns-mean", "3"],
  ],
  sessions: ["--concurrency", "6", "--num-sessions", "18", "--session-turns-mean", "3"],
  cancelled: ["--concurrency", "9", "--request-count", "60", "--request-cancellation-rate", "20"],
};

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(command: string, args: readonly string[], input?: string): Promise<Ran> {
  const child = new Deno.Command(command, {
    args: [...args],
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

class CheckError extends Error {
  override readonly name = "CheckError";
}

function check(isSo: boolean, what: string): void {
  if (!isSo) throw new CheckError(what);
}

/** Why it cannot run here; undefined if it can. */
async function obstacle(isShort: boolean): Promise<string | undefined> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return "it needs root on Linux";
  const has = async (command: string): Promise<boolean> =>
    (await run("sh", ["-c", `command -v ${command}`])).code === 0;
  for (const command of ["slurmctld", "slurmd", "munged", "ip", "nsenter"]) {
    if (await has(command)) continue;
    if (isShort) return `${command} is not installed (apt-get install slurmctld slurmd munge)`;
    if (!await has("apt-get")) return `${command} is not installed`;
  }
  const probe = await run("unshare", ["--net", "--uts", "--mount", "true"]);
  return probe.code === 0 ? undefined : "namespaces cannot be made here";
}

class Cluster {
  readonly lab: string;
  readonly #servers: Deno.ChildProcess[] = [];

  constructor(lab: string) {
    this.lab = lab;
  }

  async up(): Promise<void> {
    Deno.env.set("LAB", `${this.lab}/slurm`);
    Deno.env.set("MODE", "netns");
    Deno.env.set("SLURM_CONF", `${this.lab}/slurm/etc/slurm.conf`);
    const { code, stderr } = await run("bash", [`${HERE}slurm_up.sh`, String(NODES)]);
    check(code === 0, `the cluster does not come up: ${stderr.trim().split("\n").at(-1)}`);
    await this.#program();
    for (let node = 1; node <= NODES; node++) {
      const command = `exec '${this.lab}/inferometer' mock --port ${PORT} --ttft 30 --itl 4`;
      const server = new Deno.Command("nsenter", {
        args: [`--net=/run/netns/slurm-n${node}`, "sh", "-c", command],
        stdout: "piped",
        stderr: "inherit",
        stdin: "null",
      }).spawn();
      this.#servers.push(server);
      const reader = server.stdout.getReader();
      check(!(await reader.read()).done, "the server of a node does not start");
      reader.releaseLock();
    }
  }

  /** The program as the nodes have it; the last node's clock is ahead while a file says so. */
  async #program(): Promise<void> {
    const binary = Deno.env.get("INFEROMETER_BINARY");
    const program = binary === undefined
      ? `'${Deno.execPath()}' run -A --no-prompt --quiet ` +
        `--v8-flags=--max-semi-space-size=4,--expose-gc '${ROOT}src/main.ts'`
      : `'${binary}'`;
    await Deno.writeTextFile(
      `${this.lab}/inferometer`,
      `#!/bin/sh
if [ -e '${this.lab}/ahead' ] && [ "$(uname -n)" = n${NODES} ] && [ "$1" = profile ]; then
  export FAKETIME_DONT_FAKE_MONOTONIC=1
  exec faketime -f +${AHEAD_MS / 1000}s ${program} "$@"
fi
exec ${program} "$@"
`,
      { mode: 0o755 },
    );
  }

  /** Prints a batch script with the product, and submits it. */
  async submit(name: string, options: readonly string[]): Promise<{ id: string; folder: string }> {
    const folder = `${this.lab}/results/${name}`;
    const printed = await run(`${this.lab}/inferometer`, [
      ...["launch", "slurm", "--shards", String(NODES), "--cpus", "1", "--job-name", name],
      ...["--url", `127.0.0.1:${PORT}`, "--model", "mock-model", "--streaming", "--osl", "16"],
      ...["--isl", "64", "--tokenizer", "builtin", "--artifact-dir", folder, ...options],
    ]);
    check(printed.code === 0, `launch: ${printed.stderr}`);
    const submitted = await run("sbatch", [
      ...["--parsable", "--chdir", this.lab, "--output", `${this.lab}/${name}.log`],
      ...["--export", `ALL,INFEROMETER=${this.lab}/inferometer`],
    ], printed.stdout);
    check(submitted.code === 0, `sbatch: ${submitted.stderr}`);
    return { id: submitted.stdout.trim(), folder };
  }

  /** Waits for a job; its state, such as COMPLETED. `sbatch --wait` would look every ten seconds. */
  async state(id: string): Promise<string> {
    const deadline = Date.now() + JOB_SECONDS * 1000;
    for (;;) {
      const { stdout } = await run("scontrol", ["show", "job", id]);
      const [, state = "UNKNOWN"] = /JobState=(\w+)/.exec(stdout) ?? [];
      if (!/^(PENDING|CONFIGURING|RUNNING|COMPLETING)$/.test(state)) return state;
      check(Date.now() < deadline, `job ${id} does not end: ${state}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async log(name: string): Promise<string> {
    return await Deno.readTextFile(`${this.lab}/${name}.log`).catch(() => "");
  }

  async down(): Promise<void> {
    for (const server of this.#servers) {
      server.kill("SIGTERM");
      await server.stdout.cancel();
      await server.status;
    }
    await run("bash", [`${HERE}slurm_down.sh`]);
  }
}

interface ShardFile {
  readonly "clock": { readonly "offset_ms": number; readonly "error_ms": number };
  readonly "start": { readonly "intended_ns": number; readonly "lateness_ms": number };
  readonly "counts": { readonly "requests": number };
  readonly "exit_reason": string;
  readonly "partial": boolean;
}

async function shardFiles(folder: string): Promise<ShardFile[]> {
  return await Promise.all(Array.from({ length: NODES }, async (_, index) => {
    const path = `${folder}/shard-000${index}-of-000${NODES}/shard.json`;
    return JSON.parse(await Deno.readTextFile(path)) as ShardFile;
  }));
}

/** Runs a load; checks that the shards were together and the result is whole. */
async function checkLoad(cluster: Cluster, name: string, aheadMs: number): Promise<string> {
  const { id, folder } = await cluster.submit(name, LOADS[name] as readonly string[]);
  const state = await cluster.state(id);
  check(state === "COMPLETED", `${name}: ${state}\n${await cluster.log(name)}`);
  const shards = await shardFiles(folder);
  shards.forEach(({ clock, start, partial, ...rest }, index) => {
    const expected = index === NODES - 1 ? aheadMs : 0;
    const off = Math.abs(clock.offset_ms - expected);
    // What faketime adds differs by some microseconds from call to call.
    check(off <= clock.error_ms + 1, `${name}: shard ${index} measured ${clock.offset_ms} ms`);
    check(!partial, `${name}: shard ${index} is partial: ${rest.exit_reason}`);
    // Both in nanoseconds by shard 0's clock; a double knows them to a quarter of a microsecond.
    const apartMs = Math.abs(start.intended_ns - (shards[0]?.start.intended_ns ?? 0)) / 1e6;
    check(
      apartMs <= clock.error_ms + 1,
      `${name}: shard ${index} meant to begin ${apartMs} ms off`,
    );
  });
  const sent = shards.reduce((sum, { counts }) => sum + counts.requests, 0);
  // Those of the warm-up are there, too.
  const lines = (await Deno.readTextFile(`${folder}/profile_export.jsonl`)).trimEnd().split("\n")
    .filter((line) => line.includes('"benchmark_phase":"profiling"'));
  check(lines.length === sent, `${name}: ${lines.length} records of ${sent} requests`);
  const late = Math.max(...shards.map(({ start }) => start.lateness_ms));
  const errors = Math.max(...shards.map(({ clock }) => clock.error_ms));
  return `${sent} requests, clocks known to ${errors.toFixed(3)} ms, ` +
    `begun ${late.toFixed(1)} ms late at most`;
}

/** Cancels a run in its midst: what was measured is there, and merge says that it was cancelled. */
async function checkCancel(cluster: Cluster): Promise<string> {
  const { id, folder } = await cluster.submit("scancel", [
    ...["--concurrency", "9", "--benchmark-duration", "60"],
  ]);
  const records = `${folder}/shard-0000-of-000${NODES}/profile_export.jsonl`;
  const deadline = Date.now() + JOB_SECONDS * 1000;
  while (((await Deno.stat(records).catch(() => undefined))?.size ?? 0) < 10_000) {
    check(Date.now() < deadline, `scancel: nothing is sent\n${await cluster.log("scancel")}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await run("scancel", [id]);
  check(await cluster.state(id) === "CANCELLED", "scancel: the job is not cancelled");
  while ((await run("squeue", ["-h", "-j", id])).stdout.trim() !== "") {
    check(Date.now() < deadline, "scancel: the job does not end");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const shards = await shardFiles(folder);
  check(shards.every(({ partial }) => partial), "scancel: a shard says that it is whole");
  const merge = (args: readonly string[]) =>
    run(`${cluster.lab}/inferometer`, ["merge", folder, ...args]);
  const { stdout, stderr } = await merge([]);
  check(/INTERRUPTED/.test(stdout), `scancel: merge does not say so: ${stdout}${stderr}`);
  const sent = shards.reduce((sum, { counts }) => sum + counts.requests, 0);
  return `${sent} requests until then`;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    args: Deno.args,
    options: { short: { type: "boolean" }, keep: { type: "boolean" } },
  });
  const isShort = values.short === true;
  const why = await obstacle(isShort);
  if (why !== undefined) {
    console.log(`skipped: shards under Slurm: ${why}`);
    return 0;
  }
  const cluster = new Cluster(await Deno.makeTempDir({ prefix: "inferometer-slurm-" }));
  await Deno.chmod(cluster.lab, 0o755);
  let passed = 0;
  let failed = 0;
  const step = async (name: string, work: () => Promise<string>): Promise<void> => {
    try {
      console.log(`${name}: ${await work()}`);
      passed++;
    } catch (error) {
      failed++;
      console.log(`${name}: FAILED: ${(error as Error).message}`);
    }
  };
  try {
    await cluster.up();
    const isFaked = (await run("sh", ["-c", "command -v faketime"])).code === 0;
    if (isFaked) await Deno.writeTextFile(`${cluster.lab}/ahead`, "");
    const aheadMs = isFaked ? AHEAD_MS : 0;
    for (const name of isShort ? ["closed"] : Object.keys(LOADS)) {
      await step(name, () => checkLoad(cluster, name, aheadMs));
    }
    await step("scancel", () => checkCancel(cluster));
  } finally {
    await cluster.down();
    if (values.keep !== true) await Deno.remove(cluster.lab, { recursive: true });
    else console.log(`kept: ${cluster.lab}`);
  }
  console.log(`${failed === 0 ? "ok" : "FAILED"} | ${passed} passed | ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
