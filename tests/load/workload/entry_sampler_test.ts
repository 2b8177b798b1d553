import assert from "node:assert/strict";
import { EntrySampler } from "../../../src/load/workload/entry_sampler.ts";

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

/** Largest deviation of counts from what is expected of each, in its standard deviations. */
function largestDeviation(counts: readonly number[], expected: number): number {
  return Math.max(...counts.map((count) => Math.abs(count - expected) / Math.sqrt(expected)));
}

Deno.test("EntrySampler draws each entry as often, with none left out between two draws", () => {
  const drawn = entries("random", 50_000);
  const counts = Array<number>(5).fill(0);
  const pairs = Array<number>(25).fill(0);
  drawn.forEach((entry, index) => {
    counts[entry] = (counts[entry] as number) + 1;
    const pair = entry * 5 + (drawn[index + 1] ?? entry);
    pairs[pair] = (pairs[pair] as number) + 1;
  });
  assert.ok(largestDeviation(counts, 10_000) < 5, `${counts}`);
  assert.ok(largestDeviation(pairs, 2000) < 5, `${pairs}`);
});

Deno.test("EntrySampler shuffles each entry to each place as often", () => {
  const drawn = entries("shuffle", 50_000);
  const places = Array<number>(25).fill(0);
  drawn.forEach((entry, index) => {
    const place = entry * 5 + index % 5;
    places[place] = (places[place] as number) + 1;
  });
  assert.ok(largestDeviation(places, 2000) < 5, `${places}`);
});
