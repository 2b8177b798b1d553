/** Comparisons of answers: two runs with the same prompts, and two sweeps. */

import assert from "node:assert/strict";
import { COMPARISON_SCHEMA } from "../../src/report/export/schemas/comparison_schema.ts";
import { SWEEP_COMPARISON_SCHEMA } from "../../src/report/export/schemas/sweep_comparison_schema.ts";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { PROFILE } from "../support/profile_run.ts";
import { NO_FLUSH, runCli } from "../support/run_cli.ts";
import { schemaProblems } from "../support/schema_problems.ts";

const LOAD = ["--streaming", "--osl", "24", "--no-server-metrics"];

// deno-lint-ignore no-explicit-any -- what a reader of the file sees
async function json(path: string): Promise<any> {
  return JSON.parse(await Deno.readTextFile(path));
}

/** Rows of an input file. */
async function writePrompts(path: string): Promise<void> {
  const rows = Array.from(
    { length: 60 },
    (_, row) =>
      JSON.stringify({
        text: `Tell number ${row} in ${row % 9 + 1} words ${"now ".repeat(row % 5)}`,
      }),
  );
  await Deno.writeTextFile(path, rows.join("\n"));
}

Deno.test("compare finds answers that changed, paired by prompt, with and without the records", async () => {
  using clean = await startLocalMock(["--ttft", "3"]);
  using broken = await startLocalMock(["--ttft", "3", "--corrupt-above", "0:channel_leak:0.5"]);
  await withFolder(async (folder) => {
    const input = `${folder}/prompts.jsonl`;
    await writePrompts(input);
    for (const [name, url] of [["a", clean.url], ["b", broken.url]] as const) {
      const { code, stderr } = await runCli([
        ...[...PROFILE, "--url", url, ...LOAD, "--input-file", input, "--concurrency", "4"],
        ...["--request-count", "1600", "--verify", "drift", "--verify-sample", "12"],
        ...["--artifact-dir", `${folder}/${name}`],
      ], { env: NO_FLUSH });
      assert.equal(code, 0, stderr);
    }
    const compare = async () => {
      const out = `${folder}/out`;
      const { code, stderr, stdout } = await runCli(
        ["compare", `${folder}/a`, `${folder}/b`, "--output-dir", out],
        { env: NO_FLUSH },
      );
      assert.equal(code, 0, stderr);
      const file = await json(`${out}/comparison.json`);
      assert.deepEqual(schemaProblems(COMPARISON_SCHEMA, file), []);
      const page = await Deno.readTextFile(`${out}/compare.html`);
      const [{ differences, ...rest }] = file.comparisons;
      const of = (metric: string) =>
        // deno-lint-ignore no-explicit-any -- as above
        differences.find((one: any) => one.metric === metric);
      return { stdout, page, of, rest };
    };
    const whole = await compare();
    const anomalies = whole.of("answers_anomalous");
    assert.ok(anomalies.pairs > 100, JSON.stringify(anomalies));
    assert.equal(anomalies.verdict, "worse");
    assert.ok(anomalies.before === 0 && anomalies.after > 30 && anomalies.after < 70);
    const quiet = whole.rest["answers_without_load"];
    assert.ok(quiet.prompts >= 3, JSON.stringify(quiet));
    assert.ok(quiet.differ > 0, JSON.stringify(quiet));
    assert.match(whole.stdout, /^anomalies .* points .* worse$/m);
    assert.match(whole.stdout, /^answers to \d+ of \d+ prompts differ without load/m);
    assert.match(whole.page, /Answers to \d+ of \d+ prompts differ without load/);
    assert.ok(whole.of("answers_drift") !== undefined);
    for (const name of ["a", "b"]) await Deno.remove(`${folder}/${name}/run`, { recursive: true });
    const exported = (await compare()).of("answers_anomalous");
    // The interval of the only row is narrower: it need not hold together with that of the drift.
    for (const name of ["before", "after", "difference", "pairs", "verdict"]) {
      assert.equal(exported[name], anomalies[name], name);
    }
  });
});

Deno.test("sweeps are compared by the answers at each load", async () => {
  using clean = await startLocalMock(["--ttft", "10"]);
  using broken = await startLocalMock(["--ttft", "10", "--corrupt-above", "3:repetition"]);
  await withFolder(async (folder) => {
    for (const [name, url] of [["a", clean.url], ["b", broken.url]] as const) {
      const { code, stderr } = await runCli([
        ...[...PROFILE, "--url", url, ...LOAD, "--isl", "40", "--concurrency", "2,8"],
        ...["--request-count", "40", "--random-seed", "3", "--artifact-dir", `${folder}/${name}`],
      ], { env: NO_FLUSH });
      assert.equal(code, 0, stderr);
    }
    const out = `${folder}/out`;
    const { code, stderr } = await runCli(
      ["compare", `${folder}/a`, `${folder}/b`, "--output-dir", out],
      { env: NO_FLUSH },
    );
    assert.equal(code, 0, stderr);
    const file = await json(`${out}/compare.json`);
    assert.deepEqual(schemaProblems(SWEEP_COMPARISON_SCHEMA, file), []);
    // deno-lint-ignore no-explicit-any -- as above
    const found = file.points.map(({ differences }: any) =>
      // deno-lint-ignore no-explicit-any -- as above
      differences.find((one: any) => one.metric === "answers_anomalous")?.verdict
    );
    assert.deepEqual(found, [undefined, "worse"]);
    assert.match(await Deno.readTextFile(`${out}/compare.html`), /anomalies/);
  });
});
