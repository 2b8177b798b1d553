import assert from "node:assert/strict";
import type { ProfileOptions } from "../../../src/config/options/profile/profile_types.ts";
import type { SweepManifest } from "../../../src/report/sweep/sweep_manifest.ts";
import type { SweepPoint } from "../../../src/report/sweep/sweep_points.ts";
import { runOptions } from "../../../src/run/campaign/run_options.ts";

const MANIFEST: SweepManifest = {
  ...{ product: "inferometer/0", command: "", secretOptions: [], notes: [], isComplete: false },
  shape: { kind: "runs", trials: 2, mode: "repeated" },
  ...{ sweepType: "grid", points: [], options: {} },
  ...{ confidenceLevel: 0.95, cooldownSeconds: 0, pointCooldownSeconds: 0 },
  ...{ disableWarmupAfterFirst: true, sameSeed: false, varySeedPerTrial: false },
};
const POINT: SweepPoint = { index: 0, label: "", folder: "", values: {}, options: {} };

/** The options of a run besides its folder. */
async function optionsOf(
  given: ProfileOptions,
  manifest: Partial<SweepManifest> = {},
  { trial = 0, point = {} }: { trial?: number; point?: SweepPoint["options"] } = {},
): Promise<ProfileOptions> {
  const run = { point: { ...POINT, options: point }, trial };
  const { artifactDir: _, overwrite: __, ...own } = await runOptions(
    given,
    { ...MANIFEST, ...manifest },
    run,
    "folder",
  );
  return own;
}

Deno.test("runOptions leaves out the warm-up after the first run, and what is about it alone", async () => {
  const given: ProfileOptions = {
    ...{ concurrency: 2, warmupRequestCount: 3, warmupConcurrencyRampDuration: 1 },
    ...{ rampShape: "steps", rampSteps: 3 },
  };
  assert.deepEqual(await optionsOf(given), given);
  assert.deepEqual(await optionsOf(given, {}, { trial: 1 }), { concurrency: 2 });
  // A ramp of the measurement has its shape in every run.
  const ramped = { ...given, concurrencyRampDuration: 2 };
  assert.deepEqual(await optionsOf(ramped, {}, { trial: 1 }), {
    ...{ concurrency: 2, concurrencyRampDuration: 2, rampShape: "steps", rampSteps: 3 },
  });
});

Deno.test("runOptions has a search send as much as its load needs, unless the user says how much", async () => {
  const search: SweepManifest["search"] = {
    ...{ variable: "concurrency", slos: [], min: 1, max: 100, precision: 0.05, maxRuns: 30 },
  };
  const counts = async (given: ProfileOptions, point: SweepPoint["options"]) => {
    const { requestCount, numSessions, benchmarkDuration } = await optionsOf(given, { search }, {
      point,
    });
    return [requestCount, numSessions, benchmarkDuration];
  };
  assert.deepEqual(await counts({}, { concurrency: 4 }), [100, undefined, undefined]);
  assert.deepEqual(await counts({}, { concurrency: 40 }), [400, undefined, undefined]);
  assert.deepEqual(await counts({}, { requestRate: 12.5 }), [125, undefined, undefined]);
  assert.deepEqual(await counts({ requestCount: 7 }, { concurrency: 40 }), [
    7,
    undefined,
    undefined,
  ]);
  assert.deepEqual(await counts({ numSessions: 9 }, { concurrency: 40 }), [
    undefined,
    9,
    undefined,
  ]);
  assert.deepEqual(
    await counts({ benchmarkDuration: 5 }, { requestRate: 40 }),
    [undefined, undefined, 5],
  );
});

Deno.test("runOptions has a search for sessions run five for each one in progress, or as long as given", async () => {
  const search: SweepManifest["search"] = {
    ...{ variable: "sessions", slos: [], min: 1, max: 100, precision: 0.05, maxRuns: 30 },
  };
  const lengthOf = async (given: ProfileOptions, concurrency: number) => {
    const { numSessions, benchmarkDuration } = await optionsOf(given, { search }, {
      point: { concurrency },
    });
    return { numSessions, benchmarkDuration };
  };
  assert.deepEqual(await lengthOf({}, 2), { numSessions: 20, benchmarkDuration: undefined });
  assert.deepEqual(await lengthOf({}, 7), { numSessions: 35, benchmarkDuration: undefined });
  assert.deepEqual(await lengthOf({ benchmarkDuration: 60 }, 7), {
    ...{ numSessions: undefined, benchmarkDuration: 60 },
  });
});
