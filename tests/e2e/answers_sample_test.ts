/** The sample of `--verify drift`: what servers count of it, and where its prompts are from. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { endOf } from "../support/profile_run.ts";
import { NO_FLUSH, runCli, spawnCli } from "../support/run_cli.ts";
import { until } from "../support/until.ts";

const LOAD = [
  ...["--streaming", "--osl", "20", "--concurrency", "4", "--request-count", "1600"],
  ...["--verify", "drift", "--verify-sample", "8"],
];

// deno-lint-ignore no-explicit-any -- what a reader of the file sees
async function summaryOf(folder: string): Promise<any> {
  return JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
}

Deno.test("counts of servers without the sample are those of the client", async () => {
  using mock = await startLocalMock(["--ttft", "3"]);
  await withFolder(async (folder) => {
    const { code, stderr } = await runCli([
      ...["profile", "--url", mock.url, "--isl", "50", ...LOAD, "--artifact-dir", folder],
    ], { env: NO_FLUSH });
    assert.equal(code, 0, stderr);
    const { served } = await mock.stats();
    const sampled = served.filter(({ request_id: id }) => id.startsWith("verify-load-"));
    assert.ok(sampled.length > 0);
    const rows: { quantity: string; client: number; server: number; doubt: string | null }[] =
      (await summaryOf(folder))["server_reconciliation"];
    const counts = rows.filter(({ quantity }) => /^(requests|.* tokens)$/.test(quantity));
    assert.ok(counts.length >= 3, JSON.stringify(rows));
    for (const { client, doubt, server } of counts) {
      assert.deepEqual([server, doubt], [client, null]);
    }
  });
});

Deno.test("a file that is sent while it is read gives its first prompts to the sample", async () => {
  using mock = await startLocalMock(["--ttft", "3"]);
  await withFolder(async (folder) => {
    const run = spawnCli([
      ...["profile", "--url", mock.url, "--input-file", "-", ...LOAD, "--no-server-metrics"],
      ...["--artifact-dir", folder],
    ], { stdin: "piped", env: NO_FLUSH });
    const result = endOf(run);
    const writer = run.stdin.getWriter();
    const rows = Array.from({ length: 1600 }, (_, row) => `{"text":"number ${row} of them"}\n`);
    // More than is waited for at once, and no end until the run has begun.
    await writer.write(new TextEncoder().encode(rows.slice(0, 800).join("")));
    await until(
      "a request of the load",
      async () =>
        (await mock.stats()).served.some(({ request_id: id }) => !id.startsWith("verify-")),
    );
    await writer.write(new TextEncoder().encode(rows.slice(800).join("")));
    await writer.close();
    const { code, stderr } = await result;
    assert.equal(code, 0, stderr);
    const { answers, request_count: count } = await summaryOf(folder);
    assert.equal(count.avg, 1600);
    assert.ok(answers.sample > 0, JSON.stringify(answers));
    assert.equal(answers.drift["under_load"], 0);
  });
});

Deno.test("no note asks for a longer run where the input has fewer prompts than the sample", async () => {
  using mock = await startLocalMock(["--ttft", "3"]);
  await withFolder(async (folder) => {
    const input = `${folder}/in.jsonl`;
    await Deno.writeTextFile(input, '{"text":"one"}\n{"text":"two"}\n');
    const { code, stderr, stdout } = await runCli([
      ...["profile", "--url", mock.url, "--input-file", input, ...LOAD, "--no-server-metrics"],
      ...["--artifact-dir", `${folder}/run`],
    ], { env: NO_FLUSH });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /\(2 prompts\)/);
    assert.doesNotMatch(stdout + stderr, /use a longer run/);
  });
});
