/** Checks of answers against the mock server, which breaks a known number of them. */

import assert from "node:assert/strict";
import { unzipSync } from "npm:fflate@0.8.3";
import { PROFILE_JSON_SCHEMA } from "../../src/report/export/schemas/profile_json_schema.ts";
import { withFolder } from "../support/artifacts.ts";
import { startLocalMock } from "../support/local_mock.ts";
import { PROFILE, runProfile } from "../support/profile_run.ts";
import { NO_FLUSH, runCli } from "../support/run_cli.ts";
import { schemaProblems } from "../support/schema_problems.ts";

const LOAD = ["--streaming", "--isl", "60", "--osl", "30"];

/** Broken answers by the mock's own count. */
async function corruptedBy(url: string): Promise<Record<string, number>> {
  const response = await fetch(`${url}/mock/stats`);
  return (await response.json())["corrupted"];
}

Deno.test("each detector counts exactly the answers that the mock broke", async () => {
  for (const kind of ["empty", "repetition", "invalid_text", "channel_leak", "foreign_text"]) {
    using mock = await startLocalMock(["--corrupt-above", `0:${kind}:0.3`, "--seed", "4"]);
    await withFolder(async (folder) => {
      const load = [...LOAD, "--request-count", "60", "--concurrency", "3"];
      const { artifacts, stdout } = await runProfile(folder, ["--url", mock.url, ...load]);
      const broken = (await corruptedBy(mock.url))[kind] as number;
      assert.ok(broken > 5 && broken < 40, `${broken} ${kind}`);
      const { answers } = artifacts.json;
      assert.deepEqual(answers.anomalies, {
        ...{ empty: 0, repetition: 0, invalid_text: 0, channel_leak: 0, foreign_text: 0 },
        [kind]: broken,
      });
      assert.match(stdout, new RegExp(`answers anomalies in ${broken} of 60 .*${broken} ${kind}`));
      assert.deepEqual(schemaProblems(PROFILE_JSON_SCHEMA, artifacts.json), []);
    });
  }
});

Deno.test("answers are broken only above the number of requests", async () => {
  using mock = await startLocalMock(["--corrupt-above", "1:repetition", "--ttft", "20"]);
  for (const [concurrency, hasAny] of [[1, false], [3, true]] as const) {
    await withFolder(async (folder) => {
      const load = [...LOAD, "--request-count", "9", "--concurrency", String(concurrency)];
      const { artifacts } = await runProfile(folder, ["--url", mock.url, ...load]);
      assert.equal(artifacts.json.answers.anomalies.repetition > 0, hasAny);
    });
  }
});

Deno.test("10,000 clean replies raise no alarm, and gates on anomalies are met", async () => {
  using mock = await startLocalMock();
  await withFolder(async (folder) => {
    const { artifacts, code, stdout } = await runProfile(folder, [
      ...["--url", mock.url, ...LOAD, "--request-count", "10000", "--concurrency", "32"],
      ...["--slo", "answers.anomalies<=0"],
    ]);
    assert.equal(code, 0);
    const counts = Object.values(artifacts.json.answers.anomalies);
    assert.deepEqual(counts, [0, 0, 0, 0, 0]);
    assert.doesNotMatch(stdout, /^answers/m);
    assert.match(stdout, /answers\.anomalies <= 0 .* met/);
  });
});

Deno.test("a gate on anomalies fails the run, and later the run folder and its files alone", async () => {
  using mock = await startLocalMock(["--corrupt-above", "0:channel_leak:0.5"]);
  await withFolder(async (folder) => {
    const run = `${folder}/run`;
    const args = ["--url", mock.url, ...LOAD, "--request-count", "20", "--artifact-dir", run];
    const result = await runCli([...PROFILE, ...args, "--slo", "answers.anomalies<=0"], {
      env: NO_FLUSH,
    });
    assert.equal(result.code, 3, result.stderr);
    const gate = () => runCli(["gate", run, "--slo", "answers.anomalies<1"], { env: NO_FLUSH });
    const fromRecords = await gate();
    assert.equal(fromRecords.code, 3, fromRecords.stderr);
    await Deno.remove(`${run}/run`, { recursive: true });
    const fromFiles = await gate();
    assert.equal(fromFiles.code, 3, fromFiles.stderr);
    assert.match(fromFiles.stdout, /answers\.anomalies < 1/);
  });
});

/** A run with a sample on a server that replies at once. */
function driftRun(url: string, folder: string, ...more: string[]) {
  return runProfile(folder, [
    ...["--url", url, ...LOAD, "--benchmark-duration", "8", "--concurrency", "8"],
    ...["--verify", "drift", "--verify-sample", "12", ...more],
  ]);
}

Deno.test("drift is the share that differs only under load, and an objective", async () => {
  using mock = await startLocalMock(["--corrupt-above", "1:drift", "--ttft", "uniform:20:40"]);
  await withFolder(async (folder) => {
    const { artifacts, code, stdout } = await driftRun(
      mock.url,
      folder,
      "--slo",
      "answers.drift<5%",
    );
    assert.equal(code, 3, stdout);
    const { drift, sample } = artifacts.json.answers;
    assert.ok(sample >= 3 && sample <= 12, `${sample}`);
    const { served } = await mock.stats();
    const broken = served.filter(({ corruption, request_id: id }) =>
      corruption !== undefined && id.startsWith("verify-")
    );
    assert.ok(broken.length > 0 && broken.every(({ request_id: id }) => id.includes("-load-")));
    // Prompts without an answer after the load are not in the sample.
    const ids = served.map(({ request_id: id }) => id);
    const complete = broken.filter(({ request_id: id }) =>
      ids.includes(id.replace("load", "after"))
    );
    assert.equal(drift.under_load, complete.length / sample);
    assert.equal(drift.noise_floor, 0);
    assert.ok(drift.lower > 0 && drift.upper > drift.under_load - 1e-9, JSON.stringify(drift));
    assert.match(stdout, /drift [\d.]+ % under load, 0 % without load/);
    // Requests of the sample are in no metric.
    assert.equal(artifacts.json.request_count.avg, artifacts.json.requests.sent);
    assert.deepEqual(schemaProblems(PROFILE_JSON_SCHEMA, artifacts.json), []);
    // The page shows what differs, a bundle does not.
    const quoted = /NOT HE THIS ARE/;
    assert.match(await Deno.readTextFile(`${folder}/report.html`), quoted);
    const zip = `${folder}-bundle.zip`;
    for (const hasRecords of [true, false]) {
      if (!hasRecords) await Deno.remove(`${folder}/run`, { recursive: true });
      const { code, stderr } = await runCli(["bundle", folder, "--output", zip]);
      assert.equal(code, 0, stderr);
      const packed = Object.entries(unzipSync(await Deno.readFile(zip)));
      const decoder = new TextDecoder();
      const quoting = packed.filter(([, bytes]) => {
        const text = decoder.decode(bytes);
        return quoted.test(text) || /"fingerprints":\s*\[\s*\{/.test(text);
      });
      assert.deepEqual(quoting.map(([name]) => name), []);
      await Deno.remove(zip);
    }
  });
});

Deno.test("a server that always gives the same answers has no drift, and meets the objective", async () => {
  using mock = await startLocalMock(["--ttft", "30"]);
  await withFolder(async (folder) => {
    const { artifacts, code } = await driftRun(mock.url, folder, "--slo", "answers.drift<=0");
    assert.equal(code, 0);
    const { under_load: underLoad, noise_floor: noiseFloor } = artifacts.json.answers.drift;
    assert.deepEqual([underLoad, noiseFloor], [0, 0]);
  });
});
