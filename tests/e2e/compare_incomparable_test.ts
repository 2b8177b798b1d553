/** Comparisons of runs whose replies have other lengths than recorded. */

import assert from "node:assert/strict";
import { COMPARISON_SCHEMA } from "../../src/report/export/schemas/comparison_schema.ts";
import { SWEEP_COMPARISON_SCHEMA } from "../../src/report/export/schemas/sweep_comparison_schema.ts";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { PROFILE } from "../support/profile_run.ts";
import { NO_FLUSH, runCli } from "../support/run_cli.ts";
import { schemaProblems } from "../support/schema_problems.ts";

const LOAD = [
  ...["--streaming", "--input-file", "fixtures/agents/mlperf_rows.jsonl", "--tokenizer", "builtin"],
  ...["--tool-time", "none", "--user-time", "none", "--allow-dataset-wrap", "--num-sessions", "40"],
];

/** A server that ends every reply after one token, whatever length is requested. */
function startShortServer(): { readonly url: string } & AsyncDisposable {
  const chunk = (fields: object): string =>
    `data: ${
      JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "m", ...fields })
    }\n\n`;
  const body = chunk({ choices: [{ index: 0, delta: { content: "Done" }, finish_reason: null }] }) +
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
    chunk({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 } }) +
    "data: [DONE]\n\n";
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    await request.text();
    return request.method === "GET"
      ? Response.json({ object: "list", data: [{ id: "mock-model", object: "model" }] })
      : new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Runs the same sessions against a server that sends the recorded lengths and one that does not. */
async function profileBoth(folder: string, concurrency: string): Promise<void> {
  using mock = await startLocalMock(["--ttft", "40", "--itl", "4"]);
  await using short = startShortServer();
  for (const [name, url] of [["long", mock.url], ["short", short.url]] as const) {
    const { code, stderr } = await runCli([
      ...[...PROFILE, "--url", url, ...LOAD, "--concurrency", concurrency],
      ...["--artifact-dir", `${folder}/${name}`],
    ], { env: NO_FLUSH });
    assert.equal(code, 0, stderr);
  }
}

/** The output of a comparison, and one of its files. */
async function compared(folder: string, file: string) {
  const out = `${folder}/out`;
  const { code, stderr, stdout } = await runCli(
    ["compare", `${folder}/long`, `${folder}/short`, "--output-dir", out],
    { env: NO_FLUSH },
  );
  assert.equal(code, 0, stderr);
  return {
    stdout,
    out,
    json: JSON.parse(await Deno.readTextFile(`${out}/${file}`)),
  };
}

Deno.test("compare calls nothing better in a run whose replies are shorter than recorded", () =>
  withFolder(async (folder) => {
    await profileBoth(folder, "4");
    const note = /short is not comparable: \d+ of \d+ replies are not as long as recorded/;
    const verdictsOf = async () => {
      const { json, out, stdout } = await compared(folder, "comparison.json");
      assert.deepEqual(schemaProblems(COMPARISON_SCHEMA, json), []);
      const [{ comparable, differences, notes }] = json.comparisons;
      assert.equal(comparable, false);
      assert.equal(notes.filter((one: string) => note.test(one)).length, 1);
      assert.match(stdout.replaceAll(/\n */g, " "), note);
      assert.match(stdout, / not comparable$/m);
      assert.doesNotMatch(stdout, /(better|worse)$/m);
      const markdown = await Deno.readTextFile(`${out}/comparison.md`);
      assert.match(markdown, note);
      assert.match(markdown, /\*\*not comparable\*\*/);
      assert.match(await Deno.readTextFile(`${out}/compare.html`), /are not comparable/);
      return differences.map(({ verdict }: { verdict: string }) => verdict);
    };
    const verdicts = await verdictsOf();
    assert.deepEqual(
      [...new Set(verdicts)].sort(),
      ["not comparable", "not significant"],
    );
    const gate = await runCli(
      [
        ...["gate", `${folder}/short`, "--baseline", `${folder}/long`, "--max-regression", "5%"],
        ...["--output-dir", `${folder}/gates`],
      ],
      { env: NO_FLUSH },
    );
    assert.match(gate.stdout, /not comparable: \d+ of \d+ replies/);
    const { gates } = JSON.parse(await Deno.readTextFile(`${folder}/gates/gate.json`));
    assert.ok(gates.every(({ conclusive }: { conclusive: boolean }) => !conclusive));
    // Also by the exported files alone.
    for (const name of ["long", "short"]) {
      await Deno.remove(`${folder}/${name}/run`, { recursive: true });
    }
    await verdictsOf();
  }));

Deno.test("compare of sweeps names the side that is not comparable, and no better one", () =>
  withFolder(async (folder) => {
    await profileBoth(folder, "2,4");
    const { json, stdout } = await compared(folder, "compare.json");
    assert.deepEqual(schemaProblems(SWEEP_COMPARISON_SCHEMA, json), []);
    assert.equal(json.comparable, false);
    const note = /^short is not comparable in 2 of 2 runs: \d+ of \d+ replies are not as long/;
    assert.equal(json.notes.filter((one: string) => note.test(one)).length, 1);
    const verdicts = json.points.flatMap(({ differences }: { differences: unknown[] }) =>
      (differences as { verdict: string }[]).map(({ verdict }) => verdict)
    );
    assert.ok(verdicts.includes("not comparable"));
    assert.doesNotMatch(JSON.stringify(json), /"(better|worse)"/);
    assert.doesNotMatch(stdout, /better|worse|serves/);
  }));
