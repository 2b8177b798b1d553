import assert from "node:assert/strict";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import { RUN_FORMAT, type RunSummary } from "../../../src/results/collect/run_manifest.ts";
import { runWideWorker } from "../../../src/results/collect/run_wide_worker.ts";
import { mergedManifest, type MergedShard } from "../../../src/results/merge/merged_manifest.ts";
import { BASE_EPOCH_NS, MACHINE } from "../../support/reports.ts";

const plan = await resolvePlan(
  { url: ["http://127.0.0.1:1"], model: "m", noServerMetrics: true, artifactDir: "/a/run" },
  { cores: 2, cliCommand: "test", findModel: () => Promise.reject(new Error("not asked")) },
);

/** A shard whose load workers have medians of lag of ten times its index and their own number. */
function shardAt(index: number, changed: Partial<RunSummary> = {}): MergedShard {
  const folder = `shard-000${index}-of-0003`;
  const summary: RunSummary = {
    ...{ wasCancelled: false, isComplete: true, startNs: 10 + index, endNs: 100 + index },
    ...{ sent: 10, unsentArrivals: index, cpuCores: 0.5, notes: ["all say this"] },
    loopLagMs: [0, 1].map((worker) => summarize(Float64Array.of(10 * index + worker))),
    ...changed,
  };
  return {
    ...{ folder, index, shiftNs: 1000 * index, summary },
    manifest: {
      ...{ format: RUN_FORMAT, version: 1, product: "p", planHash: "h" },
      phases: [{ kind: "profiling", startNs: 10, endNs: 100 + index }],
      facts: {
        plan: {
          ...plan,
          workers: 2,
          shard: { index, count: 3 },
          output: { ...plan.output, directory: `/a/run/${folder}` },
        },
        ...{ baseEpochNs: BASE_EPOCH_NS, tokenizer: "builtin", hasImages: index === 2 },
        ...{ machine: { ...MACHINE, hostname: `node${index % 2}`, cores: 4 }, threads: [] },
      },
      summary,
    },
  };
}

Deno.test("mergedManifest adds up what shards did, each on its own clock", () => {
  const shards = [
    shardAt(0),
    shardAt(1, {
      ...{ stalls: [{ startNs: 5, endNs: 6 }], notes: ["all say this", "one says this"] },
      stolen: [{ startNs: 7, endNs: 8, share: 0.5 }],
      firstIdleNs: 60,
    }),
    shardAt(2, {
      ...{
        wasCancelled: true,
        isComplete: false,
        endReason: "interrupted",
        stalls: [{ startNs: 1, endNs: 2 }],
        firstIdleNs: 30,
      },
      networkSamples: [{ atNs: 3, target: 0, rttNs: 4 }],
    }),
  ];
  const { facts, phases, parts, summary } = mergedManifest(shards);
  assert.equal(facts.plan.shard, undefined);
  assert.equal(facts.plan.output.directory, "/a/run");
  assert.equal(facts.plan.workers, 6);
  assert.equal(facts.processes, 3);
  assert.equal(facts.hasImages, true);
  assert.deepEqual([facts.machine.hostname, facts.machine.cores], ["node0, node1", 8]);
  assert.deepEqual(phases, [{ kind: "profiling", startNs: 10, endNs: 2102 }]);
  assert.deepEqual(parts?.map(({ shiftNs }) => shiftNs), [0, 1000, 2000]);
  const { loopLagMs = [], ...others } = summary ?? {};
  assert.deepEqual(others, {
    ...{ wasCancelled: true, isComplete: false, endedEarly: undefined, startNs: 10, endNs: 2102 },
    ...{
      firstIdleNs: 1060,
      sent: 30,
      unsentArrivals: 3,
      cpuCores: 1.5,
      notes: ["all say this", "one says this"],
    },
    stalls: [{ startNs: 1005, endNs: 1006 }, { startNs: 2001, endNs: 2002 }],
    stolen: [{ startNs: 1007, endNs: 1008, share: 0.5 }],
    networkSamples: [{ atNs: 2003, target: 0, rttNs: 4 }],
    ...{ metricsInfo: undefined, changes: undefined, endReason: "interrupted" },
  });
  // In the order of the numbers that load workers have in the whole run.
  assert.deepEqual(loopLagMs.map(({ p50 }) => p50), [0, 10, 20, 1, 11, 21]);
});

Deno.test("mergedManifest has the gravest code of its shards, whatever they say", () => {
  const reasonOf = (...reasons: readonly (RunSummary["endReason"])[]) =>
    mergedManifest(
      reasons.map((endReason, index) =>
        shardAt(index, { endReason, endedEarly: "it began too late" })
      ),
    ).summary?.endReason;
  assert.equal(reasonOf(undefined, undefined), undefined);
  assert.equal(reasonOf("unreachable", "error_rate", "interrupted"), "error_rate");
  assert.equal(reasonOf("interrupted", undefined, "shard_lost"), "shard_lost");
});

Deno.test("runWideWorker gives no two load workers of a run one number", () => {
  const numbers = [0, 1, 2].flatMap((index) =>
    [0, 1].map((worker) => runWideWorker(worker, { index, count: 3 }))
  );
  assert.deepEqual(numbers.toSorted((a, b) => a - b), [0, 1, 2, 3, 4, 5]);
  assert.equal(runWideWorker(3, undefined), 3);
});
