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
      assert.match(run.stderr, /--require-valid: .* is (?:invalid|suspect) \(client error above/);
      const lenient = await runProfile(`${folder}/b`, args);
      assert.equal(lenient.code, 0, lenient.stderr);
    });
  });
});

Deno.test("profile --require-valid exits with 3 when the sample is too small", async () => {
  await withMock({ ttft: latencyDistribution("500") }, async ({ url }) => {
    await withFolder(async (folder) => {
      const run = await runProfile(folder, ["--url", url, ...LOAD, "--require-valid"]);
      assert.equal(run.code, 3, run.stderr);
      // On a busy machine the client's own error is named first.
      const { p50 } = (run.artifacts.json["sampling_error"] as {
        request_latency: { p50: { verdict: string } };
      }).request_latency;
      assert.notEqual(p50.verdict, "proven");
      assert.match(run.stderr, /--require-valid: .*request_latency\.p50 is /);
    });
  });
});

Deno.test("profile --require-valid exits with 0 exactly when nothing that it names is in doubt", async () => {
  const mock = { ttft: latencyDistribution("60"), itl: latencyDistribution("20") };
  await withMock(mock, async ({ url }) => {
    await withFolder(async (folder) => {
      const run = await runProfile(folder, [
        ...["--url", url, "--streaming", "--concurrency", "2", "--request-count", "100"],
        ...["--osl", "3", "--require-valid=time_to_first_token.p50"],
      ]);
      interface Errors {
        readonly metrics: { "time_to_first_token": { p50: { verdict: string } } };
      }
      // The verdict is that of the window that is shown.
      const { measurement_error: whole, steady_state: steady } = run.artifacts.json as unknown as {
        readonly "measurement_error": Errors;
        readonly "steady_state": { readonly "measurement_error"?: Errors };
      };
      const { verdict } = (steady.measurement_error ?? whole).metrics.time_to_first_token.p50;
      // A busy machine may well disturb the client; the sample is large enough in any case.
      assert.equal(run.code, verdict === "valid" ? 0 : 3, run.stderr);
      assert.doesNotMatch(run.stderr, /not proven/);
    });
  });
});
