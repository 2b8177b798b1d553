import assert from "node:assert/strict";
import { EntrySampler } from "../../src/workload/entry_sampler.ts";

const PAYLOADS = { profilingEntries: 5, warmupEntries: 3 };

function entries(
  strategy: "sequential" | "random" | "shuffle",
  count: number,
  phase: "warmup" | "profiling" = "profiling",
  payloads = PAYLOADS,
): number[] {
  const sampler = new EntrySampler({ samplingStrategy: strategy, seed: 1, ...payloads }, phase);
  return Array.from({ length: count }, (_, index) => sampler.entryOf(index));
}

Deno.test("EntrySampler takes entries in their order, round and round", () => {
  assert.deepEqual(entries("sequential", 7), [0, 1, 2, 3, 4, 0, 1]);
});

Deno.test("EntrySampler gives warm-up entries of its own, the profiling ones only if there are none", () => {
  assert.deepEqual(entries("sequential", 4, "warmup"), [5, 6, 7, 5]);
  const none = { profilingEntries: 2, warmupEntries: 0 };
  assert.deepEqual(entries("sequential", 3, "warmup", none), [0, 1, 0]);
});

Deno.test("EntrySampler shuffles anew in each pass and takes each entry once in it", () => {
  const drawn = entries("shuffle", 15);
  for (const pass of [0, 5, 10]) {
    assert.deepEqual(drawn.slice(pass, pass + 5).toSorted(), [0, 1, 2, 3, 4]);
  }
  assert.notDeepEqual(drawn.slice(0, 5), drawn.slice(5, 10));
});

Deno.test("EntrySampler answers the same whoever asks, in whatever order", () => {
  for (const strategy of ["random", "shuffle"] as const) {
    const forwards = entries(strategy, 20);
    const sampler = new EntrySampler(
      { samplingStrategy: strategy, seed: 1, ...PAYLOADS },
      "profiling",
    );
    const backwards = Array.from({ length: 20 }, (_, index) => sampler.entryOf(19 - index));
    assert.deepEqual(backwards.reverse(), forwards);
  }
});
