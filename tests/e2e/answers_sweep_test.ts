/** Correctness over the load: sweeps and searches on a server that breaks answers above a load. */

import assert from "node:assert/strict";
import { SEARCH_SCHEMA } from "../../src/report/export/schemas/search_schema.ts";
import { SWEEP_SCHEMA } from "../../src/report/export/schemas/sweep_schema.ts";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { PROFILE } from "../support/profile_run.ts";
import { NO_FLUSH, runCli } from "../support/run_cli.ts";
import { schemaProblems } from "../support/schema_problems.ts";

const LOAD = ["--streaming", "--isl", "60", "--osl", "30", "--request-count", "40"];

// deno-lint-ignore no-explicit-any -- what a reader of the file sees
async function json(path: string): Promise<any> {
  return JSON.parse(await Deno.readTextFile(path));
}

Deno.test("a sweep has the share of replies with anomalies at each load, everywhere", async () => {
  using mock = await startLocalMock(["--corrupt-above", "3:repetition", "--ttft", "15"]);
  await withFolder(async (folder) => {
    const sweep = `${folder}/sweep`;
    const { code, stderr, stdout } = await runCli([
      ...[...PROFILE, "--url", mock.url, ...LOAD, "--concurrency", "2,8"],
      ...["--artifact-dir", sweep],
    ], { env: NO_FLUSH });
    assert.equal(code, 0, stderr);
    const file = await json(`${sweep}/sweep_aggregate/profile_export_aiperf_sweep.json`);
    assert.deepEqual(schemaProblems(SWEEP_SCHEMA, file), []);
    const [quiet, loaded] = file["per_combination_metrics"];
    assert.equal(quiet.window_metrics.answers_anomalous_avg, 0);
    const run = await json(`${sweep}/${loaded.folders[0]}/profile_export_aiperf.json`);
    const { count, share } = run.answers.anomalous;
    assert.deepEqual([count, share], [40, run.answers.anomalies.repetition / 40]);
    assert.ok(share > 0.5);
    assert.equal(loaded.window_metrics.answers_anomalous_avg, share);
    const { lower, upper } = loaded.sampling_error.answers_anomalous_avg;
    assert.ok(lower > 0.3 && lower < share && share <= upper && upper <= 1);
    assert.match(stdout, /anomalies %/);
    const page = await Deno.readTextFile(`${sweep}/sweep.html`);
    assert.match(page, /Answers by load/);
    assert.match(page, /replies with anomalies, %/);
  });
});

Deno.test("a search finds the load up to which answers are whole", async () => {
  using mock = await startLocalMock(["--corrupt-above", "5:channel_leak", "--ttft", "15"]);
  await withFolder(async (folder) => {
    const search = `${folder}/search`;
    const { stderr, stdout } = await runCli([
      ...[...PROFILE, "--url", mock.url, ...LOAD, "--search", "max-concurrency"],
      ...["--concurrency-max", "16", "--slo", "answers.anomalous<1%", "--artifact-dir", search],
    ], { env: NO_FLUSH });
    const file = await json(`${search}/search_export.json`);
    assert.deepEqual(schemaProblems(SEARCH_SCHEMA, file), []);
    assert.equal(file.answer, 5, stdout + stderr);
    assert.equal(file["limited_by"], "answers.anomalous");
    const [objective] = file.objectives;
    assert.equal(objective.name, "answers.anomalous");
    assert.equal(objective.value, 0);
  });
});
