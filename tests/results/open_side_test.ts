import assert from "node:assert/strict";
import { sideNotes, type StoredSide } from "../../src/results/open_side.ts";
import type { StoredRun } from "../../src/results/stored_run.ts";

/** A side of runs with these settings; what notes do not look at is not there. */
function sideOf(label: string, settings: readonly Record<string, unknown>[]): StoredSide {
  const runs = settings.map((some, at) => ({
    ...{ directory: `${label}${at}`, settings: some, tags: [], servers: [] },
    ...{ product: "inferometer/0.1.0", machine: "here", partial: undefined },
  } as unknown as StoredRun));
  return { label, runs, samples: [], tags: [] };
}

const plan = (concurrency: number, seed: number) => ({
  random_seed: seed,
  phases: { profiling: { concurrency } },
});

Deno.test("sideNotes tell that the runs of one side are not of one plan, besides their seeds", () => {
  const same = sideOf("old", [plan(4, 1), plan(4, 2)]);
  assert.deepEqual(sideNotes(same, sideOf("new", [plan(4, 1), plan(4, 3)])), []);
  assert.deepEqual(
    sideNotes(same, sideOf("new", [plan(4, 1), plan(8, 2), plan(8, 3)])),
    ["the plans of the runs of new are not the same: load: concurrency: 4 and 8"],
  );
});
