/** `inferometer merge` of shards whose processes were killed, or whose disk was full. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { readManifest } from "../../src/results/collect/run_manifest.ts";
import { writeShardManifest } from "../../src/results/collect/write_shard_manifest.ts";
import { withFolder } from "../support/artifacts.ts";
import { type LocalMock, startLocalMock } from "../support/local_mock.ts";
import { endOf } from "../support/profile_run.ts";
import { runCli, spawnCli } from "../support/run_cli.ts";
import { CAN_MOUNT, withDisk } from "../support/small_disk.ts";
import { until } from "../support/until.ts";

/** What was written a second before a process was killed must be there. */
const LOST_MS = 1000;

/** A run that would take hours, as a shard would leave it. */
function startEndless(mock: LocalMock, directory: string): Deno.ChildProcess {
  return spawnCli([
    ...["profile", "--url", mock.url, "--streaming", "--concurrency", "4", "--osl", "4"],
    ...["--request-count", "1000000", "--random-seed", "1", "--artifact-dir", directory],
    ...["--no-server-metrics"],
  ]);
}

async function recordBytes(directory: string): Promise<number> {
  const path = `${directory}/run/records.bin`;
  return (await Deno.stat(path).catch(() => ({ size: 0 }))).size;
}

/** IDs of the requests that the server had answered whole by a time. */
async function answered(mock: LocalMock, byMs: number): Promise<string[]> {
  const { served } = await mock.stats();
  return served.filter(({ outcome, received_epoch_ms: receivedMs, sent_after_ms: afterMs }) =>
    outcome === "succeeded" && receivedMs + (afterMs.at(-1) ?? Infinity) <= byMs
  ).map(({ request_id: id }) => id);
}

async function idsIn(directory: string): Promise<Set<string>> {
  const text = await Deno.readTextFile(`${directory}/profile_export.jsonl`);
  assert.ok(text.endsWith("\n"));
  return new Set(
    text.trimEnd().split("\n").map((line) => JSON.parse(line).metadata.x_request_id),
  );
}

Deno.test("report tells all that a run had recorded a second before it was killed, whenever that was", async () => {
  const moments = fc.sample(fc.integer({ min: 2_000, max: 60_000 }), 3);
  for (const bytes of moments) {
    await withFolder(async (folder) => {
      using mock = await startLocalMock(["--ttft", "10", "--itl", "2"]);
      const child = startEndless(mock, `${folder}/a`);
      await until("records on the disk", async () => await recordBytes(`${folder}/a`) > bytes);
      const killedMs = Date.now();
      child.kill("SIGKILL");
      await endOf(child);
      const { code, stdout, stderr } = await runCli(["report", `${folder}/a`]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /partial/);
      const written = await idsIn(`${folder}/a`);
      const lost = (await answered(mock, killedMs - LOST_MS)).filter((id) => !written.has(id));
      assert.deepEqual(lost, [], `killed with ${bytes} bytes of records`);
      const json = JSON.parse(await Deno.readTextFile(`${folder}/a/profile_export_aiperf.json`));
      assert.equal(json.was_cancelled, true);
      // Records and lines are handed over one after the other.
      assert.ok(json.requests.succeeded > 0);
    });
  }
});

Deno.test("merge takes what killed shards had recorded, and says which they are", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--ttft", "10", "--itl", "2"]);
    const shards = [0, 1, 2].map((index) => `${folder}/shard-000${index}-of-0003`);
    const children = shards.map((shard) => startEndless(mock, shard));
    for (const shard of shards) {
      await until("records on the disk", async () => await recordBytes(shard) > 5_000);
    }
    const killedMs = Date.now();
    for (const child of children.slice(1)) child.kill("SIGKILL");
    children[0]?.kill("SIGINT");
    await Promise.all(children.map(endOf));
    const ended = shards[0] as string;
    const own = readManifest(await Deno.readTextFile(`${ended}/run/run.json`));
    await writeShardManifest(ended, {
      ...{ planHash: own.planHash, version: own.product, shard: { index: 0, count: 3 } },
      ...{ seed: own.facts.plan.seed, host: "here", start: undefined, clock: undefined },
      counts: { requests: own.summary?.sent ?? 0, failed: 0, cancelled: 0, sessions: 0 },
      ...{ exitReason: "interrupted", endReason: "interrupted", partial: true },
    });
    const refused = await runCli(["merge", folder]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /shard-0001-of-0003: .*killed.*shard-0002-of-0003: .*killed/);
    const { code, stderr, stdout } = await runCli(["merge", folder, "--allow-missing"]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /incomplete: shards 1, 2 of 3 are cut off where the process was killed/);
    assert.match(stderr, /after \d+ requests, with \d+\.\d %, \d+\.\d % of their parts undone/);
    assert.match(stderr, /shard 0 of 3 is interrupted .* undone: \d+\.\d % of the plan was not/);
    assert.match(stdout, /INTERRUPTED.*INCOMPLETE/s);
    const written = await idsIn(folder);
    const lost = (await answered(mock, killedMs - LOST_MS)).filter((id) => !written.has(id));
    assert.deepEqual(lost, []);
    const json = JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
    const parts = await Promise.all(shards.map(async (shard) => {
      const { stdout } = await runCli(["report", shard]);
      assert.match(stdout, /partial/);
      return JSON.parse(await Deno.readTextFile(`${shard}/profile_export_aiperf.json`));
    }));
    const sum = parts.reduce((sum, part) => sum + part.requests.succeeded, 0);
    assert.equal(json.requests.succeeded, sum);
  }));

Deno.test({
  name: "merge takes what a shard with a full disk had recorded",
  ignore: !CAN_MOUNT,
  fn: () =>
    withFolder((folder) =>
      withDisk("size=64k", async (disk) => {
        using mock = await startLocalMock();
        const shards = [0, 1].map((index) => `${folder}/shard-000${index}-of-0002`);
        await Deno.mkdir(`${disk}/a`);
        await Deno.symlink(`${disk}/a`, shards[1] as string);
        for (const [index, shard] of shards.entries()) {
          const { code, stderr } = await runCli([
            ...["profile", "--url", mock.url, "--streaming", "--concurrency", "8", "--isl", "300"],
            ...["--request-count", "150", "--random-seed", "1", "--artifact-dir", shard],
            ...["--no-server-metrics"],
          ]);
          assert.equal(code, index, stderr);
        }
        const { stdout, stderr } = await runCli(["merge", folder, "--allow-missing"]);
        assert.match(stderr, /incomplete: shards 0, 1 of 2 are cut off/);
        assert.match(stdout, /INCOMPLETE/);
        const json = JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
        const { succeeded } = json.requests;
        assert.ok(succeeded >= 150 && succeeded <= 300, `${succeeded}`);
      })
    ),
});
