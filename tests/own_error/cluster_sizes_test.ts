import assert from "node:assert/strict";
import fc from "fast-check";
import { clusterSizes } from "../../src/own_error/cluster_sizes.ts";

const MS = 1e6;

Deno.test("clusterSizes are 1 where reads come one by one, and their number where all come together", () => {
  const apart = [Float64Array.of(0, 10 * MS, 20 * MS), Float64Array.of(1 * MS)];
  assert.deepEqual(clusterSizes(apart), { mean: 1, largest: 1, groups: 4 });
  assert.deepEqual(clusterSizes([Float64Array.of(3 * MS, 0, 1 * MS, 2 * MS)]), {
    mean: 4,
    largest: 4,
    groups: 1,
  });
  assert.deepEqual(clusterSizes([]), { mean: 1, largest: 1, groups: 0 });
});

Deno.test("clusterSizes weigh each read by those that came with it, thread by thread", () => {
  // Three together and one alone: (3 x 3 + 1 x 1) / 4.
  assert.deepEqual(clusterSizes([Float64Array.of(0, 1 * MS, 2 * MS, 50 * MS)]), {
    mean: 2.5,
    largest: 3,
    groups: 2,
  });
  // The same instants on two threads are two clusters.
  const twice = [Float64Array.of(0, 1 * MS), Float64Array.of(0, 1 * MS)];
  assert.deepEqual(clusterSizes(twice), { mean: 2, largest: 2, groups: 2 });
});

Deno.test("clusterSizes of reads without a pause are as many as a standstill delays", () => {
  const reads = Float64Array.from({ length: 2000 }, (_, i) => i * MS);
  const { mean, largest } = clusterSizes([reads]);
  assert.ok(largest >= 100 && largest <= 102 && mean <= largest && mean > 95, `${mean} ${largest}`);
});

Deno.test("clusterSizes lie between 1 and the number of reads, in whatever order they are", () => {
  fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: 1e9 }), { minLength: 1 }), (times) => {
    const sizes = clusterSizes([Float64Array.from(times)]);
    assert.ok(sizes.mean >= 1 && sizes.mean <= sizes.largest && sizes.largest <= times.length);
    assert.deepEqual(clusterSizes([Float64Array.from(times.toReversed())]), sizes);
  }));
});
