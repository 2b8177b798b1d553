/** One run as several processes: what they send, how they begin, what they leave. */

import assert from "node:assert/strict";
import { readArtifacts, type RecordLine, withFolder } from "../support/artifacts.ts";
import { deadAddress } from "../support/dead_address.ts";
import { withMock } from "../support/local_mock.ts";
import { type CliResult, NO_FLUSH, runCli } from "../support/run_cli.ts";

const COUNT = 3;
const MODEL = ["--model", "m", "--isl", "5", "--tokenizer", "builtin", "--streaming", "--osl", "4"];
const TOKEN = { "INFEROMETER_RENDEZVOUS_TOKEN": "0123456789abcdef0123" };

/** The shards of a run, all at once; `different` has the options in which they differ. */
async function shards(
  args: readonly string[],
  different: (index: number) => readonly string[] = () => [],
  indices = [0, 1, 2],
): Promise<CliResult[]> {
  return await Promise.all(
    indices.map((index) =>
      runCli(["profile", "--shard", `${index}/${COUNT}`, ...args, ...different(index)], {
        env: { ...TOKEN, ...NO_FLUSH },
      })
    ),
  );
}

function shardFolder(folder: string, index: number): string {
  return `${folder}/run/shard-000${index}-of-000${COUNT}`;
}

function sessions(records: readonly RecordLine[], phase: string): unknown[] {
  return records.filter(({ metadata }) => metadata.benchmark_phase === phase)
    .map(({ metadata }) => metadata["session_num"]).toSorted((a, b) => Number(a) - Number(b));
}

Deno.test("shards that meet send each request of the run once, and merge makes one run of them", () =>
  withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const ran = await shards([
        ...["--url", url, ...MODEL, "--artifact-dir", `${folder}/run`],
        ...["--concurrency", "5", "--request-count", "20", "--warmup-request-count", "4"],
        ...["--rendezvous", deadAddress(), "--rendezvous-timeout", "120"],
        ...["--max-late", "60"],
      ]);
      for (const { code, stderr } of ran) assert.equal(code, 0, stderr);
      const parts = await Promise.all(
        [0, 1, 2].map((index) => readArtifacts(shardFolder(folder, index))),
      );
      const records = parts.flatMap(({ records }) => records);
      const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
      assert.deepEqual(sessions(records, "profiling"), numbers(20));
      assert.deepEqual(sessions(records, "warmup"), numbers(4));
      parts.forEach(({ names, records }, index) => {
        const own = sessions(records, "profiling");
        assert.ok(own.every((number) => Number(number) % COUNT === index));
        assert.equal(names.includes("server_metrics_export.json"), index === 0);
      });
      for (const index of [0, 1, 2]) {
        const shard = JSON.parse(
          await Deno.readTextFile(`${shardFolder(folder, index)}/shard.json`),
        );
        const { exit_reason: text, ended_early_reason: code, partial } = shard;
        assert.deepEqual([shard.shard.index, text, code, partial], [
          ...[index, "complete", null, false],
        ]);
        assert.ok(Math.abs(shard.clock.offset_ms) <= shard.clock.error_ms + 1);
      }
      const { code, stderr } = await runCli(["merge", `${folder}/run`, "--expect-shards", "3"]);
      assert.equal(code, 0, stderr);
      const merged = await readArtifacts(`${folder}/run`);
      assert.deepEqual(sessions(merged.records, "profiling"), numbers(20));
      // The server has seen the requests of all: only the whole is compared with that.
      assert.deepEqual(parts[0]?.json.server_reconciliation, []);
      assert.match(parts[0]?.json.notes.join(), /results of shard 0 of 3, but metrics of servers/);
      const [requests] = merged.json.server_reconciliation;
      assert.deepEqual([requests.client, requests.server, requests.doubt], [20, 20, null]);
      // A second run does not mix with this one.
      const again = await shards(
        ["--url", url, ...MODEL, "--artifact-dir", `${folder}/run`, "--concurrency", "5"],
        undefined,
        [1],
      );
      assert.equal(again[0]?.code, 1);
      assert.match(again[0]?.stderr ?? "", /it holds a shard of another run: name another/);
    })));

Deno.test("where a shard is missing or has another plan, nobody sends anything, and all say why", () =>
  withMock({}, ({ url, stats }) =>
    withFolder(async (folder) => {
      const args = [
        ...["--url", url, ...MODEL, "--artifact-dir", `${folder}/run`, "--concurrency", "5"],
        ...["--rendezvous", deadAddress("localhost"), "--rendezvous-timeout", "20"],
        ...["--no-server-metrics"],
      ];
      const [first, other] = await shards(
        args,
        (index) => index === 1 ? ["--request-count", "21"] : ["--request-count", "20"],
        [0, 1],
      );
      assert.deepEqual([first?.code, other?.code], [1, 1]);
      assert.match(first?.stderr ?? "", /Shard 1 from .* was refused: its plan is another one/);
      assert.match(first?.stderr ?? "", /shards 1, 2 of 3 did not come within 20 s/);
      assert.match(other?.stderr ?? "", /Shard 0 at localhost:\d+ refuses shard 1: its plan/);
      assert.equal((await stats()).requests, 0);
      // The folders are free for the next attempt.
      for await (const { name } of Deno.readDir(shardFolder(folder, 0))) assert.fail(name);
    })));

Deno.test("shards without a common folder send their files to shard 0, which merges them", () =>
  withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const ran = await shards([
        ...["--url", url, ...MODEL, "--concurrency", "3", "--request-count", "12", "--collect"],
        ...["--rendezvous", deadAddress(), "--max-late", "60"],
      ], (index) => ["--artifact-dir", `${folder}/of${index}`]);
      for (const { code, stderr } of ran) assert.equal(code, 0, stderr);
      const merged = await readArtifacts(`${folder}/of0`);
      assert.equal(sessions(merged.records, "profiling").length, 12);
      assert.ok(ran[0]?.stdout.trimEnd().endsWith("}"), "the summary stands on the screen");
    })));

Deno.test("--start-at a time that is past fails by --max-late, and sends nothing", () =>
  withMock({}, ({ url, stats }) =>
    withFolder(async (folder) => {
      const { code, stderr } = await runCli([
        ...["profile", "--url", url, ...MODEL, "--artifact-dir", `${folder}/run`],
        ...["--start-at", "2020-01-01T00:00:00Z", "--no-server-metrics"],
      ]);
      assert.equal(code, 1);
      assert.match(stderr, /it began too late, \d+ ms later than agreed: more than --max-late 1 s/);
      assert.equal((await stats()).requests, 0);
      const { json } = await readArtifacts(`${folder}/run`);
      assert.equal(json.ended_early_reason, "too_late");
    })));

Deno.test("a process that srun or mpirun started as one of several warns without --shard", async () => {
  const run = (args: readonly string[], env: Record<string, string>) =>
    runCli(["profile", "--url", "127.0.0.1:9", "--model", "m", "--dry-run", ...args], { env });
  const srun = { SLURM_PROCID: "1", SLURM_STEP_NUM_TASKS: "3" };
  assert.match(
    (await run([], srun)).stderr,
    /srun .* 3 times in total; divide it with --shard slurm/,
  );
  const sharded = await run(["--shard", "slurm", "--concurrency", "3"], srun);
  assert.equal(sharded.stderr.includes("times in total"), false, sharded.stderr);
  assert.match(sharded.stdout, /shard-0001-of-0003/);
  const wrong = await run(["--shard", "k8s"], srun);
  assert.deepEqual([wrong.code, /JOB_COMPLETION_INDEX/.test(wrong.stderr)], [2, true]);
});
