/** Sweeps of recorded agent sessions: what every file and the console have of their sessions. */

import assert from "node:assert/strict";
import { SWEEP_EXPORT_SCHEMA } from "../../src/report/export/schemas/sweep_export_schema.ts";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { PROFILE, runProfile } from "../support/profile_run.ts";
import { NO_FLUSH, runCli } from "../support/run_cli.ts";
import { schemaProblems } from "../support/schema_problems.ts";

const TRACE = "fixtures/agents/dag_nested.jsonl";
const LOAD = [
  ...["--streaming", "--input-file", TRACE, "--tokenizer", "builtin", "--tool-time", "none"],
  ...["--user-time", "none", "--allow-dataset-wrap", "--num-sessions", "8"],
];

Deno.test("a sweep of agents has durations, jobs per hour, outcomes and cache hits of each load", async () => {
  // Two requests at a time: more sessions wait, and none is done earlier.
  using mock = await startLocalMock(["--prefix-cache", "--slots", "2", "--ttft", "40"]);
  await withFolder(async (sweep) => {
    const { code, stderr, stdout } = await runCli([
      ...[...PROFILE, "--url", mock.url, ...LOAD, "--concurrency", "1,8", "--gpus", "2"],
      ...["--slo", "session.duration.p95<1.2s,session.completed_rate>=99%"],
      ...["--artifact-dir", sweep],
    ], { env: NO_FLUSH });
    assert.equal(code, 3, stderr);
    const file = JSON.parse(await Deno.readTextFile(`${sweep}/sweep_export.json`));
    assert.deepEqual(schemaProblems(SWEEP_EXPORT_SCHEMA, file), []);
    for (const point of file.points) {
      const summary = JSON.parse(
        await Deno.readTextFile(`${sweep}/${point.folders[0]}/profile_export_aiperf.json`),
      );
      assert.deepEqual(point.sessions, { started: 8, completed: 8, failed: 0, cut_off: 0 });
      const { metrics, intervals, units } = point;
      // Also where other metrics are those of the steady state.
      for (const statistic of ["p50", "p95"]) {
        const key = `session_duration_${statistic}`;
        assert.equal(metrics[key], summary.session_duration[statistic]);
        assert.equal(units[key], "sec");
        const { lower, upper } = summary.sampling_error.session_duration[statistic];
        assert.deepEqual(intervals[key], { lower, upper });
      }
      assert.equal(metrics.session_completed_rate_avg, 100);
      assert.ok(metrics.session_hit_share_avg > 0);
      assert.equal(metrics.jobs_per_hour_per_gpu_avg * 2, metrics.jobs_per_hour_avg);
    }
    // Objectives on sessions rank the points.
    assert.match(stdout, /^best +1 session in progress meets every objective/m);
    assert.match(stdout, /^missed +concurrency=8: session_duration\.p95 .* wanted < 1\.2 s$/m);
    assert.match(stdout, /│ duration/);
    assert.match(stdout, /sessions of whole runs; jobs: completed sessions/);
    assert.match(stdout, /2 points of 8 sessions/);
    const markdown = await Deno.readTextFile(`${sweep}/sweep.md`);
    assert.match(markdown, /duration p50 s \| duration p95 s \| jobs\/h \| jobs\/h\/GPU/);
    const page = await Deno.readTextFile(`${sweep}/sweep.html`);
    assert.match(page, /Sessions by load/);
    assert.match(page, /id="plot-by-session_duration_p95"/);
    assert.match(page, /sessions in progress/);
    const plots = await runCli(["plot", sweep]);
    assert.match(plots.stdout + plots.stderr, /sessions-load\.svg/);
  });
});

Deno.test("a sweep of single requests has nothing about sessions", async () => {
  using mock = await startLocalMock(["--ttft", "5"]);
  await withFolder(async (sweep) => {
    const { code, stderr, stdout } = await runCli([
      ...[...PROFILE, "--url", mock.url, "--streaming", "--isl", "20", "--osl", "4"],
      ...["--request-count", "8", "--concurrency", "1,2", "--artifact-dir", sweep],
    ], { env: NO_FLUSH });
    assert.equal(code, 0, stderr);
    const file = JSON.parse(await Deno.readTextFile(`${sweep}/sweep_export.json`));
    assert.deepEqual(schemaProblems(SWEEP_EXPORT_SCHEMA, file), []);
    assert.deepEqual(file.points.map(({ sessions }: { sessions: unknown }) => sessions), [
      null,
      null,
    ]);
    assert.doesNotMatch(stdout, /session/);
    const markdown = await Deno.readTextFile(`${sweep}/sweep.md`);
    assert.doesNotMatch(markdown, /session/);
  });
});

Deno.test("a run notes that its sessions did not reach the concurrency", async () => {
  using mock = await startLocalMock(["--ttft", "5"]);
  await withFolder(async (folder) => {
    const { stderr } = await runProfile(folder, [
      ...["--url", mock.url, "--streaming", "--input-file", TRACE, "--tokenizer", "builtin"],
      ...["--tool-time", "none", "--allow-dataset-wrap", "--num-sessions", "2"],
      ...["--concurrency", "8"],
    ]);
    const { notes } = JSON.parse(await Deno.readTextFile(`${folder}/profile_export_aiperf.json`));
    const expected = "At most 2 of 8 sessions were in progress at the same time: the concurrency " +
      "was not reached, the run had only 2 sessions";
    assert.ok(notes.includes(expected), stderr);
  });
});

Deno.test("repeated runs of an agent's sessions have their durations over the runs", async () => {
  using mock = await startLocalMock(["--ttft", "5"]);
  await withFolder(async (folder) => {
    const { code, stderr, stdout } = await runCli([
      ...[...PROFILE, "--url", mock.url, ...LOAD, "--concurrency", "4", "--num-profile-runs", "2"],
      ...["--artifact-dir", folder],
    ], { env: NO_FLUSH });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^2 runs of 8 sessions$/m);
    assert.match(stdout, /│ session p95 +│ s +│/);
    assert.match(stdout, /│ sessions +│ jobs\/h +│/);
    assert.match(await Deno.readTextFile(`${folder}/sweep.html`), /session p95 s/);
  });
});
