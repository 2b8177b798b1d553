import assert from "node:assert/strict";
import { PROFILE_COMMAND_OPTIONS } from "../../../src/config/options/commands/option_tables.ts";
import { sweptOptions } from "../../../src/config/options/swept_options.ts";
import { UsageError } from "../../../src/config/options/usage_error.ts";
import {
  readSweepManifest,
  type SweepManifest,
  sweepManifestText,
} from "../../../src/report/sweep/sweep_manifest.ts";
import { aggregateFolder, runFolder, sweepFolder } from "../../../src/report/sweep/sweep_layout.ts";
import { type SweepPoint, sweepPoints } from "../../../src/report/sweep/sweep_points.ts";

function swept(given: Readonly<Record<string, unknown>>) {
  return sweptOptions(PROFILE_COMMAND_OPTIONS, given);
}

Deno.test("lists are taken out of options, whatever their order was", () => {
  const { base, swept: lists } = swept({ osl: [8, 4], streaming: true, concurrency: [1, 2] });
  assert.deepEqual(base, { osl: 8, streaming: true, concurrency: 1 });
  assert.deepEqual(lists.map(({ name, values }) => [name, values]), [
    ["concurrency", [1, 2]],
    ["osl", [8, 4]],
  ]);
  assert.deepEqual(swept({ concurrency: [3] }), { base: { concurrency: 3 }, swept: [] });
  assert.throws(() => swept({ concurrency: [1, 0] }), UsageError);
  assert.throws(() => swept({ concurrency: [1, 1] }), /Names a value twice/);
});

Deno.test("a grid has every value with every other, a zip the first with the first", () => {
  const lists = swept({ concurrency: [1, 2], requestRate: [5, 0.5] }).swept;
  assert.deepEqual(sweepPoints(lists, "grid").map(({ label, folder }) => [label, folder]), [
    ["concurrency=1, request_rate=5", "concurrency_1__request_rate_5"],
    ["concurrency=1, request_rate=0.5", "concurrency_1__request_rate_0.5"],
    ["concurrency=2, request_rate=5", "concurrency_2__request_rate_5"],
    ["concurrency=2, request_rate=0.5", "concurrency_2__request_rate_0.5"],
  ]);
  const zip = sweepPoints(lists, "zip");
  assert.deepEqual(zip.map(({ options }) => options), [
    { concurrency: 1, requestRate: 5 },
    { concurrency: 2, requestRate: 0.5 },
  ]);
  const uneven = swept({ concurrency: [1, 2], isl: [1, 2, 3] }).swept;
  assert.throws(() => sweepPoints(uneven, "zip"), /zip needs lists of one length/);
  assert.deepEqual(sweepPoints([], "grid").map(({ label }) => label), [""]);
});

Deno.test("a point without a limit is called as users write it, and survives the file", () => {
  const points = sweepPoints(swept({ requestRate: [5, Infinity] }).swept, "grid");
  assert.deepEqual(
    points.map(({ label, folder, values, options }) => [
      ...[label, folder, values, options],
    ]),
    [
      ["request_rate=5", "request_rate_5", { request_rate: 5 }, { requestRate: 5 }],
      ["request_rate=inf", "request_rate_inf", { request_rate: "inf" }, { requestRate: Infinity }],
    ],
  );
  const manifest: SweepManifest = {
    ...{ product: "inferometer/0", command: "", secretOptions: [], notes: [], isComplete: false },
    shape: { kind: "sweep", trials: 1, mode: "repeated" },
    sweepType: "grid",
    points,
    ...{ confidenceLevel: 0.95, cooldownSeconds: 0, pointCooldownSeconds: 0 },
    ...{ disableWarmupAfterFirst: true, sameSeed: false, varySeedPerTrial: false },
    options: { requestRate: [5, Infinity], benchmarkGracePeriod: Infinity },
  };
  assert.deepEqual(readSweepManifest(sweepManifestText(manifest)), manifest);
});

Deno.test("runs lie where AIPerf has them", () => {
  const [point] = sweepPoints(swept({ concurrency: [4, 8] }).swept, "grid") as [SweepPoint];
  const shape = { kind: "sweep", trials: 1, mode: "repeated" } as const;
  assert.equal(runFolder(shape, point, 0), "concurrency_4");
  assert.equal(aggregateFolder(shape, point), undefined);
  assert.equal(sweepFolder(shape), "sweep_aggregate");
  const repeated = { ...shape, trials: 3 };
  assert.equal(runFolder(repeated, point, 1), "profile_runs/trial_0002/concurrency_4");
  assert.equal(aggregateFolder(repeated, point), "aggregate/concurrency_4");
  assert.equal(sweepFolder(repeated), "aggregate/sweep_aggregate");
  const independent = { ...repeated, mode: "independent" } as const;
  assert.equal(runFolder(independent, point, 1), "concurrency_4/profile_runs/trial_0002");
  assert.equal(aggregateFolder(independent, point), "concurrency_4/aggregate");
  assert.equal(sweepFolder(independent), "sweep_aggregate");
  const runs = { ...repeated, kind: "runs" } as const;
  assert.equal(runFolder(runs, point, 0), "profile_runs/run_0001");
  assert.equal(aggregateFolder(runs, point), "aggregate");
  const search = { ...shape, kind: "search" } as const;
  assert.equal(runFolder(search, point, 0), "search_iter_0001/profile_runs/run_0001");
});
