/** What runs say of their own error whose replies are not read as canaries on a stream are. */

import assert from "node:assert/strict";
import { readCanaries } from "../../src/measurement/canary/canary_file.ts";
import { CANARY_FIELD_COUNT, CANARY_KIND } from "../../src/measurement/canary/canary_kind.ts";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { withFolder } from "../support/artifacts.ts";
import { withMock } from "../support/local_mock.ts";
import { runProfile } from "../support/profile_run.ts";

const FETCH = ["--streaming", "--transport", "fetch"];

interface OwnError {
  readonly verdict: string;
  readonly metrics: Record<string, Record<string, { readonly lower: number; verdict: string }>>;
  readonly reasons: readonly string[];
}

async function ownError(url: string, folder: string, args: readonly string[]): Promise<OwnError> {
  const run = await runProfile(folder, [
    ...["--url", url, "--concurrency", "4", ...args],
  ]);
  assert.equal(run.code, 0, run.stderr);
  return run.artifacts.json.measurement_error as OwnError;
}

Deno.test("profile over fetch proves nothing of tokens that come faster than it reads them", () =>
  withFolder((folder) =>
    withMock({}, async ({ url }) => {
      const args = [...FETCH, "--request-count", "200", "--osl", "100"];
      const { metrics, reasons, verdict } = await ownError(url, folder, args);
      assert.equal(verdict, "invalid");
      for (const tag of ["request_latency", "inter_token_latency", "decode_duration"]) {
        for (const { lower, verdict } of Object.values(metrics[tag] ?? assert.fail(tag))) {
          assert.deepEqual([lower, verdict], [0, "invalid"], tag);
        }
      }
      assert.match(reasons.join(), /--transport fetch reads replies serially and may/);
    })
  ));

Deno.test("profile over fetch bounds what it reads as it comes", () =>
  withFolder((folder) =>
    withMock({
      ttft: latencyDistribution("100"),
      itl: latencyDistribution("50"),
    }, async ({ url }) => {
      const args = [...FETCH, "--request-count", "40", "--osl", "4"];
      const { metrics, reasons } = await ownError(url, folder, args);
      assert.ok((metrics["request_latency"]?.["avg"]?.lower ?? 0) > 125);
      assert.doesNotMatch(reasons.join(), /--transport fetch/);
    })
  ));

Deno.test("profile takes looks at a job for no reply that was received all the time", () =>
  withFolder((folder) =>
    withMock({ ttft: latencyDistribution("500") }, async ({ url }) => {
      const args = ["--endpoint-type", "video-generation", "--request-count", "16"];
      const { metrics } = await ownError(url, folder, args);
      assert.ok((metrics["request_latency"]?.["avg"]?.lower ?? 0) > 250);
    })
  ));

Deno.test("profile has canaries before the first chunks of the measured phase, after a warm-up too", () =>
  withFolder((folder) =>
    withMock({ ttft: latencyDistribution("300") }, async ({ url }) => {
      const args = ["--streaming", "--request-count", "8", "--warmup-request-count", "2"];
      await ownError(url, folder, args);
      const { phases } = JSON.parse(await Deno.readTextFile(`${folder}/run/run.json`));
      const { startNs } = phases.at(-1);
      using file = await Deno.open(`${folder}/run/canaries.bin`);
      let early = 0;
      for (const { rows } of readCanaries(file)) {
        for (let at = 0; at < rows.length; at += CANARY_FIELD_COUNT) {
          const [kind, intendedNs] = [rows[at] as number, (rows[at + 1] as number) - startNs];
          assert.ok(intendedNs >= 0);
          if (kind === CANARY_KIND.poisson && intendedNs < 250e6) early++;
        }
      }
      // Of each worker 500 a second for a tenth of one, and half as many again.
      assert.ok(early > 30, `${early}`);
    })
  ));
