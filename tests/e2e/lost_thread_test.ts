/**
 * A thread that dies in the middle of a run. No option can bring that about, so this test alone
 * starts a run by the product's own function.
 */

import assert from "node:assert/strict";
import type { ProfileOptions } from "../../src/options/profile_types.ts";
import { resolvePlan } from "../../src/plan/resolve_plan.ts";
import { LOAD_MODULES, type LoadPoolModules } from "../../src/run/load_pool.ts";
import { runProfile } from "../../src/run/run_profile.ts";
import { readArtifacts, withFolder } from "../support/artifacts.ts";
import { startMock } from "../support/mock_process.ts";

/** The code of the threads, of which that worker dies when it starts its `request`th request. */
function modules(worker: number, request: number): LoadPoolModules {
  const loadWorker = new URL("../support/dying_thread.ts", import.meta.url);
  loadWorker.search = `?worker=${worker}&request=${request}`;
  return { ...LOAD_MODULES, loadWorker };
}

const LOADS: Readonly<Record<string, ProfileOptions>> = {
  "a closed loop": { concurrency: 4, requestCount: 60 },
  "an open loop": { requestRate: 100, requestCount: 60 },
  // The dead worker may have held all slots, and then nobody hears that they are free.
  "an open loop with few slots": { requestRate: 200, concurrency: 2, requestCount: 40 },
};

Deno.test("a run goes on when one of its load workers dies", async (t) => {
  for (const [name, load] of Object.entries(LOADS)) {
    await t.step(name, () =>
      withFolder(async (folder) => {
        await using mock = await startMock(["--ttft", "20", "--itl", "10"]);
        const plan = await resolvePlan({
          ...{ url: [mock.url], model: "m", streaming: true, osl: 4, isl: 10, workers: 2 },
          ...{ artifactDir: folder, noServerMetrics: true, ...load },
        }, { cores: 2, cliCommand: "test", findModel: () => Promise.resolve("m") });
        const warnings: string[] = [];
        const { report } = await runProfile(plan, {
          modules: modules(0, 3),
          onWarning: (text) => warnings.push(text),
        });
        assert.equal(warnings.length, 1, warnings.join("\n"));
        assert.match(warnings[0] ?? "", /^Load worker 0 died, .*Broken on purpose/);
        const { json, records } = await readArtifacts(folder);
        assert.equal(records.length, load.requestCount, "every request is accounted for");
        const lost = records.filter(({ error }) => error?.kind === "worker_lost");
        assert.ok(lost.length > 0, "requests of the dead worker have failed");
        const failed = records.filter(({ error }) => error !== undefined);
        assert.equal(failed.length, lost.length, "nothing else failed");
        const others = records.filter(({ metadata, error }) =>
          metadata["worker_id"] === "worker_1" && error === undefined
        );
        assert.ok(others.length > 10, "the other worker went on");
        assert.deepEqual(report.requests.sent, load.requestCount);
        assert.deepEqual([json.is_complete, json.was_cancelled], [false, false]);
        assert.deepEqual(json.notes, warnings);
      }));
  }
});

Deno.test("a run ends when all of its load workers die", () =>
  withFolder(async (folder) => {
    await using mock = await startMock(["--ttft", "5", "--itl", "1"]);
    const plan = await resolvePlan({
      ...{ url: [mock.url], model: "m", streaming: true, osl: 4, isl: 10, workers: 1 },
      ...{ artifactDir: folder, noServerMetrics: true, concurrency: 2, requestCount: 100_000 },
    }, { cores: 2, cliCommand: "test", findModel: () => Promise.resolve("m") });
    const { report } = await runProfile(plan, {
      modules: modules(0, 50),
    });
    assert.equal(report.requests.sent, 50);
    assert.equal(report.requests.succeeded + report.requests.failed, report.requests.sent);
    assert.equal(report.isComplete, false);
    const { json } = await readArtifacts(folder);
    assert.equal(json.request_count.avg, report.requests.succeeded);
  }));
