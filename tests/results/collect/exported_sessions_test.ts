import assert from "node:assert/strict";
import { openExportedRun } from "../../../src/results/collect/exported_run.ts";
import { RunFolderError } from "../../../src/results/collect/run_folder.ts";
import { withFolder } from "../../support/artifacts.ts";

const FIXTURE = new URL("../../../fixtures/aiperf_run/", import.meta.url);
const lines = await Deno.readTextFile(new URL("profile_export.jsonl", FIXTURE));
const summary = await Deno.readTextFile(new URL("profile_export_aiperf.json", FIXTURE));

const COMPLETED = {
  ...{ "source_id": "a", pass: 1, "start_ratio": 0, status: "completed", duration: 1500 },
  tokens: { input: 200, "cached_server": 50 },
};
const SESSIONS = [COMPLETED, { ...COMPLETED, status: "failed" }]
  .map((session) => `${JSON.stringify(session)}\n`).join("");

Deno.test("openExportedRun reads completed sessions, whatever beginning the files have", async () => {
  for (const prefix of ["night", "my_profile_export"]) {
    await withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/${prefix}.jsonl`, lines);
      await Deno.writeTextFile(`${folder}/${prefix}.json`, summary);
      const without = await openExportedRun(folder);
      assert.equal(without.sample.sessions, undefined);
      await Deno.writeTextFile(`${folder}/${prefix}_sessions.jsonl`, SESSIONS);
      const { sample } = await openExportedRun(folder);
      assert.deepEqual(sample.sessions, [
        { key: '["a",1,0]', durationSeconds: 1.5, hitPct: 25 },
      ]);
    });
  }
});

Deno.test("openExportedRun refuses a damaged file of sessions", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/profile_export.jsonl`, lines);
    await Deno.writeTextFile(`${folder}/profile_export_aiperf.json`, summary);
    await Deno.writeTextFile(`${folder}/sessions.jsonl`, `${SESSIONS}{"sta`);
    await assert.rejects(openExportedRun(folder), RunFolderError);
  }));
