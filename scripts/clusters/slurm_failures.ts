/** What may go wrong with a run of several nodes, each on a real Slurm. */

import { profilingLines, type ShardFile, shardFile, shardFolder } from "./shard_results.ts";
import { HOST, type Job, PORT, type SlurmCluster } from "./slurm_cluster.ts";
import { check, pause } from "./steps.ts";

/** Long enough for something to happen in its midst. */
const LOAD = ["--concurrency", "9", "--benchmark-duration", "8"];
/** A run is over so soon after its load, whatever happened to one of its shards. */
const END_SECONDS = 40;

/** Each says what it came to. */
export const SLURM_FAILURES: Readonly<
  Record<string, (cluster: SlurmCluster) => Promise<string>>
> = {
  "shard-killed": shardKilled,
  "shard-0-killed": firstShardKilled,
  "terminated": shardTerminated,
  "paused": shardPaused,
  "paused-before": shardPausedBefore,
  "late": shardLate,
  "missing": shardMissing,
  "other-plan": shardOfOtherPlan,
  "full-disk": fullDisk,
};

/** Cancels a run in its midst: what was measured is there, and merge says that it was cancelled. */
export async function checkCancel(cluster: SlurmCluster): Promise<string> {
  const job = await cluster.submit("scancel", [
    ...["--concurrency", "9", "--benchmark-duration", "60"],
  ]);
  await cluster.recorded(job, 0);
  await new Deno.Command("scancel", { args: [job.id] }).output();
  const state = await cluster.state(job);
  check(state === "CANCELLED", `the job is ${state}\n${await cluster.log(job)}`);
  const shards = await shardFiles(cluster, job);
  check(shards.every((shard) => shard?.partial), "a shard says that it is whole");
  const { stdout, stderr } = await cluster.inferometer(["merge", job.folder]);
  check(/INTERRUPTED/.test(stdout), `merge does not say so: ${stdout}${stderr}`);
  return `${sentBy(shards)} requests until then`;
}

async function shardKilled(cluster: SlurmCluster): Promise<string> {
  const job = await cluster.submit("shard-killed", LOAD);
  await cluster.recorded(job, 1);
  Deno.kill(await cluster.processOf(2), "SIGKILL");
  await ended(cluster, job, "FAILED");
  const [first, killed, last] = await shardFiles(cluster, job);
  check(killed === undefined, "a shard that was killed has a shard.json");
  check(isWhole(first) && isWhole(last), "the others are not whole");
  await said(cluster, job, /shard-0001-of-0003: it has no shard.json: its process was killed/);
  return await incomplete(
    cluster,
    job,
    /shard 1 of 3 is cut off where the process was killed, after \d+ requests/,
  );
}

async function firstShardKilled(cluster: SlurmCluster): Promise<string> {
  const job = await cluster.submit("shard-0-killed", [...LOAD, "--warmup-duration", "6"]);
  await cluster.recorded(job, 0);
  Deno.kill(await cluster.processOf(1), "SIGKILL");
  await ended(cluster, job, "FAILED");
  const [, ...others] = await shardFiles(cluster, job);
  check(others.every(isWhole), "the others are not whole");
  await said(cluster, job, /Shard 0 at n1:29400 is gone: this shard continues on its own/);
  return await incomplete(cluster, job, /shard 0 of 3 is cut off where the process was killed/);
}

async function shardTerminated(cluster: SlurmCluster): Promise<string> {
  const job = await cluster.submit("terminated", LOAD);
  await cluster.recorded(job, 1);
  Deno.kill(await cluster.processOf(2), "SIGTERM");
  await ended(cluster, job, "FAILED");
  const [first, terminated, last] = await shardFiles(cluster, job);
  check(isWhole(first) && isWhole(last), "the others are not whole");
  const { partial, ended_early_reason: reason } = terminated ?? {};
  check(partial === true && reason === "terminated", `shard 1: ${reason}`);
  const { stdout } = await cluster.inferometer(["merge", job.folder]);
  check(/INTERRUPTED/.test(stdout), `merge does not say so: ${stdout}`);
  return "its records are there, the others are whole";
}

async function shardPaused(cluster: SlurmCluster): Promise<string> {
  const job = await cluster.submit("paused", LOAD);
  await cluster.recorded(job, 1);
  await stopFor(await cluster.processOf(2), 5000);
  await cluster.completed(job);
  const [first, paused, last] = await shardFiles(cluster, job);
  check(isWhole(first) && isWhole(last), "the others are not whole");
  const { partial, ended_early_reason: reason } = paused ?? {};
  check(partial === true && reason === "held_up", `shard 1: ${reason}`);
  const text = await Deno.readTextFile(`${job.folder}/profile_export_aiperf.json`);
  const missing = /shard 1 of 3 is held up [^"]* (\d+\.\d %) of its part undone/.exec(text);
  check(missing !== null, "nobody says what part of the load is missing");
  const note = /The process was suspended \(machine or debugger\) for ([\d.]+) s/.exec(text);
  check(note !== null, "nobody says that a process stood still");
  return `the result says that it stood still for ${note[1]} s, and missed ${
    missing[1]
  } of its part`;
}

async function shardPausedBefore(cluster: SlurmCluster): Promise<string> {
  // The last shard comes late, so that the second waits; and is stopped when it is to begin.
  return await cluster.before(3, "sleep 8", async () => {
    const job = await cluster.submit("paused-before", LOAD);
    await cluster.hasCome(2);
    await pause(1000);
    const stopped = await cluster.processOf(2);
    Deno.kill(stopped, "SIGSTOP");
    try {
      await cluster.hasCome(3);
      await pause(4000);
    } finally {
      Deno.kill(stopped, "SIGCONT");
    }
    await ended(cluster, job, "FAILED");
    const [first, late, last] = await shardFiles(cluster, job);
    check(isWhole(first) && isWhole(last), "the others are not whole");
    check(late?.ended_early_reason === "too_late", `shard 1: ${late?.ended_early_reason}`);
    return `${late?.exit_reason}; the others are whole`;
  });
}

async function shardLate(cluster: SlurmCluster): Promise<string> {
  return await cluster.before(3, "sleep 6", async () => {
    const job = await cluster.submit("late", LOAD);
    await cluster.completed(job);
    const shards = await shardFiles(cluster, job);
    check(shards.every(isWhole), "a shard is not whole");
    const lateness = Math.max(...shards.map((shard) => shard?.start?.lateness_ms ?? Infinity));
    check(lateness < 1000, `one began ${lateness} ms after the others`);
    return `all have waited, and began ${lateness.toFixed(1)} ms late at most`;
  });
}

async function shardMissing(cluster: SlurmCluster): Promise<string> {
  return await cluster.before(2, "exit 9", async () => {
    const before = await cluster.requestsAt(0);
    const job = await cluster.submit(
      "missing",
      [...LOAD, "--rendezvous-timeout", "6"],
      `${HOST}:${PORT}`,
    );
    await ended(cluster, job, "FAILED");
    const texts = (await cluster.log(job)).match(/shard 1 of 3 did not come within 6 s/g) ?? [];
    check(texts.length === 2, `${texts.length} shards say who is missing`);
    check(await cluster.requestsAt(0) === before, "requests were sent");
    return "both others say who is missing, and have sent nothing";
  });
}

async function shardOfOtherPlan(cluster: SlurmCluster): Promise<string> {
  // What one node gets of its environment differs.
  return await cluster.before(2, 'export INFEROMETER_OSL=17; set -- "$@" --osl 17', async () => {
    const job = await cluster.submit("other-plan", [...LOAD, "--rendezvous-timeout", "6"]);
    await ended(cluster, job, "FAILED");
    await said(cluster, job, /refuses shard 1: its plan is another one than shard 0's/);
    await said(cluster, job, /shard 1 of 3 did not come within 6 s/);
    return "it is refused by name, and nobody begins";
  });
}

async function fullDisk(cluster: SlurmCluster): Promise<string> {
  const job = await cluster.submit("full", [...LOAD, "--export-level", "raw"]);
  await ended(cluster, job, "FAILED");
  const [first, second, full] = await shardFiles(cluster, job);
  check(isWhole(first) && isWhole(second), "the others are not whole");
  await said(cluster, job, /No space left on the device/);
  const lines = await profilingLines(shardFolder(job.folder, 2, cluster.nodes)).catch(() => []);
  return `the others are whole, it has ${lines.length} records and ` +
    `${full === undefined ? "no shard.json" : full.exit_reason}; ` +
    await incomplete(cluster, job, /shard 2 of 3 is not written to the end, after \d+ requests/);
}

/** Stops a process for a while, as a machine that is paused does. */
async function stopFor(pid: number, milliseconds: number): Promise<void> {
  Deno.kill(pid, "SIGSTOP");
  try {
    await pause(milliseconds);
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
}

async function shardFiles(
  { nodes }: SlurmCluster,
  { folder }: Job,
): Promise<(ShardFile | undefined)[]> {
  return await Promise.all(
    Array.from({ length: nodes }, (_, index) => shardFile(folder, index, nodes)),
  );
}

function isWhole(shard: ShardFile | undefined): boolean {
  return shard?.partial === false;
}

function sentBy(shards: readonly (ShardFile | undefined)[]): number {
  return shards.reduce((sum, shard) => sum + (shard?.counts.requests ?? 0), 0);
}

async function ended(cluster: SlurmCluster, job: Job, expected: string): Promise<void> {
  const state = await cluster.state(job, END_SECONDS);
  check(state === expected, `the job is ${state}\n${await cluster.log(job)}`);
}

async function said(cluster: SlurmCluster, job: Job, pattern: RegExp): Promise<void> {
  const log = await cluster.log(job);
  check(pattern.test(log), `nobody says ${pattern}:\n${log}`);
}

/** Merges what there is; the sentence that says what is missing. */
async function incomplete(cluster: SlurmCluster, job: Job, pattern: RegExp): Promise<string> {
  const refused = await cluster.inferometer(["merge", job.folder]);
  check(refused.code === 1, `merge ends with ${refused.code}`);
  const { stderr } = await cluster.inferometer(["merge", job.folder, "--allow-missing"]);
  const [, sentence = ""] = /The result is incomplete: (.*)/.exec(stderr) ?? [];
  check(pattern.test(sentence), `merge does not say what is missing: ${stderr}`);
  const text = await Deno.readTextFile(`${job.folder}/profile_export_aiperf.json`);
  check(text.includes(sentence), "the result does not say what is missing");
  return sentence;
}
