import assert from "node:assert/strict";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import type { ShardFacts } from "../../../src/config/shard/shard_manifest.ts";
import type { RunSummary } from "../../../src/results/collect/run_manifest.ts";
import type { ResultsClient } from "../../../src/run/runner/results_client.ts";
import { sealShard } from "../../../src/run/runner/seal_shard.ts";
import { BASE_EPOCH_NS, reportWith } from "../../support/reports.ts";

const plan = await resolvePlan(
  {
    ...{ url: ["http://127.0.0.1:1"], model: "m", noServerMetrics: true, shard: "0/2" },
    ...{ concurrency: 2, benchmarkDuration: 10 },
  },
  { cores: 2, cliCommand: "test", findModel: () => Promise.reject(new Error("not asked")) },
);

/** What a shard writes of its end. */
async function sealed(
  changed: Partial<RunSummary>,
  { failure, lostThreads = 0 }: { failure?: string; lostThreads?: number } = {},
): Promise<Pick<ShardFacts, "exitReason" | "endReason" | "partial">> {
  const summary: RunSummary = {
    ...{ wasCancelled: false, isComplete: true, startNs: 0, endNs: 10e9, sent: 10 },
    ...{ unsentArrivals: 0, loopLagMs: [], cpuCores: 1, notes: [] },
    ...changed,
  };
  const facts: ShardFacts[] = [];
  const results = {
    seal(sealed: ShardFacts) {
      facts.push(sealed);
      return Promise.resolve(undefined);
    },
  } as ResultsClient;
  const nothing = { agreed: undefined, clockOffset: undefined };
  await sealShard(plan, results, nothing, { baseEpochNs: BASE_EPOCH_NS }, {
    ...{ host: "h", failure, summary, sessions: 10, lostThreads },
    report: reportWith({ endReason: failure === undefined ? summary.endReason : "disk" }),
  });
  const [{ exitReason, endReason, partial }] = facts as [ShardFacts];
  return { exitReason, endReason, partial };
}

Deno.test("sealShard writes why the shard ended, as a code and in words", async () => {
  assert.deepEqual(await sealed({}), {
    ...{ exitReason: "complete", endReason: undefined, partial: false },
  });
  const text = "it began too late, 1201 ms later than agreed: more than --max-late 1 s allows";
  assert.deepEqual(
    await sealed({ isComplete: false, endedEarly: text, endReason: "too_late" }),
    { exitReason: text, endReason: "too_late", partial: true },
  );
  assert.deepEqual(
    await sealed({ isComplete: false, wasCancelled: true, endReason: "terminated" }),
    { exitReason: "interrupted", endReason: "terminated", partial: true },
  );
  assert.deepEqual(
    await sealed({ isComplete: false, endReason: "worker_lost" }, { lostThreads: 1 }),
    { exitReason: "incomplete", endReason: "worker_lost", partial: true },
  );
  assert.deepEqual(
    await sealed({ stalls: [{ startNs: 2e9, endNs: 5e9 }] }),
    { exitReason: "held up", endReason: "held_up", partial: true },
  );
  const failure = "Cannot write /a/run.json: No space left on the device";
  assert.deepEqual(await sealed({}, { failure }), {
    ...{ exitReason: failure, endReason: "disk", partial: false },
  });
});
