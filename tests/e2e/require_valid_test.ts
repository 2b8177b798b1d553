/** `--require-valid`: the exit code goes by the verdict that stands in the results. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { withMock } from "../support/local_mock.ts";
import { runProfile } from "../support/profile_run.ts";

const LOAD = ["--streaming", "--concurrency", "2", "--request-count", "4", "--osl", "3"];

Deno.test("profile --require-valid exits with 3 when the client's own error is too large", async () => {
  // Times of next to nothing: no client measures them to 5 %.
  await withMock({}, async ({ url }) => {
    await withFolder(async (folder) => {
      const args = ["--url", url, ...LOAD];
      const run = await runProfile(`${folder}/a`, [...args, "--require-valid"]);
      const { verdict } = run.artifacts.json.measurement_error as { verdict: string };
      assert.notEqual(verdict, "valid");
      assert.equal(run.code, 3, run.stderr);
      assert.match(run.stderr, new RegExp(`--require-valid: the results are ${verdict}\\. `));
      const lenient = await runProfile(`${folder}/b`, args);
      assert.equal(lenient.code, 0, lenient.stderr);
    });
  });
});

Deno.test("profile --require-valid exits with 0 exactly when the verdict is valid", async () => {
  const ttft = latencyDistribution("1500");
  await withMock({ ttft }, async ({ url }) => {
    await withFolder(async (folder) => {
      const run = await runProfile(folder, ["--url", url, ...LOAD, "--require-valid"]);
      const { verdict } = run.artifacts.json.measurement_error as { verdict: string };
      assert.equal(run.code, verdict === "valid" ? 0 : 3, run.stderr);
    });
  });
});
