/** Folders that are removed, replaced, or taken by another run while a run writes there. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { endOf } from "../support/end_of.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { PROFILE } from "../support/profile_run.ts";
import { runCli, spawnCli } from "../support/run_cli.ts";
import { until } from "../support/until.ts";

const LOAD = ["--streaming", "--concurrency", "4", "--osl", "8"];

/** A run of some seconds, once its records reach the disk. */
async function begunRun(url: string, folder: string): Promise<Deno.ChildProcess> {
  const child = spawnCli([
    ...[...PROFILE, "--url", url, ...LOAD, "--benchmark-duration", "3"],
    ...["--artifact-dir", folder, "--overwrite"],
  ]);
  await until(
    "records on the disk",
    () => Deno.stat(`${folder}/run/records.bin`).then(({ size }) => size > 5000, () => false),
  );
  return child;
}

Deno.test("a run whose folder is taken away fails", async (t) => {
  using mock = await startLocalMock(["--itl", "2"]);
  const ways: readonly (readonly [name: string, take: (run: string) => Promise<void>])[] = [
    ["removed", (run) => Deno.remove(run, { recursive: true })],
    [
      "replaced",
      async (run) => {
        await Deno.rename(run, `${run}-moved`);
        await Deno.mkdir(run);
      },
    ],
    ["without its records", (run) => Deno.remove(`${run}/run/records.bin`)],
    ["without its lines", (run) => Deno.remove(`${run}/profile_export.jsonl`)],
    [
      "claimed by another",
      async (run) => {
        await Deno.remove(`${run}/.inferometer-claim`);
        await Deno.writeTextFile(`${run}/.inferometer-claim`, "");
      },
    ],
  ];
  for (const [name, take] of ways) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        const run = `${folder}/run`;
        const child = await begunRun(mock.url, run);
        await take(run);
        const { code, stderr } = await endOf(child);
        assert.equal(code, 1, stderr);
        assert.match(stderr, /^error: .*(removed|replaced|taken by another run)/m);
        if (name === "replaced") assert.deepEqual(await Array.fromAsync(Deno.readDir(run)), []);
      }));
  }
});

Deno.test("--overwrite does not take a folder in which another run writes", () =>
  withFolder(async (folder) => {
    using mock = await startLocalMock(["--itl", "2"]);
    const run = `${folder}/run`;
    const first = await begunRun(mock.url, run);
    const second = await runCli([
      ...[...PROFILE, "--url", mock.url, ...LOAD, "--request-count", "2"],
      ...["--artifact-dir", run, "--overwrite"],
    ]);
    assert.equal(second.code, 1, second.stderr);
    assert.match(second.stderr, /^error: Cannot write .*: Another run is writing there: .*\n$/);
    const { code, stderr } = await endOf(first);
    assert.equal(code, 0, stderr);
    assert.equal((await runCli(["gate", run, "--slo", "ttft.p99<60s"])).code, 0);
    // It is free again.
    const third = await runCli([
      ...[...PROFILE, "--url", mock.url, ...LOAD, "--request-count", "2"],
      ...["--artifact-dir", run, "--overwrite"],
    ]);
    assert.equal(third.code, 0, third.stderr);
  }));
