import assert from "node:assert/strict";
import fc from "fast-check";
import { clusterSize } from "../../src/own_error/cluster_size.ts";

const MS = 1e6;

Deno.test("clusterSize is 1 where reads come one by one, and their number where all come together", () => {
  assert.equal(clusterSize([Float64Array.of(0, 10 * MS, 20 * MS), Float64Array.of(1 * MS)]), 1);
  assert.equal(clusterSize([Float64Array.of(3 * MS, 0, 1 * MS, 2 * MS)]), 4);
  assert.equal(clusterSize([]), 1);
});

Deno.test("clusterSize weighs each read by those that came with it, thread by thread", () => {
  // Three together and one alone: (3 x 3 + 1 x 1) / 4.
  assert.equal(clusterSize([Float64Array.of(0, 1 * MS, 2 * MS, 50 * MS)]), 2.5);
  // The same instants on two threads are two clusters.
  assert.equal(clusterSize([Float64Array.of(0, 1 * MS), Float64Array.of(0, 1 * MS)]), 2);
});

Deno.test("clusterSize lies between 1 and the number of reads, in whatever order they are", () => {
  fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: 1e9 }), { minLength: 1 }), (times) => {
    const size = clusterSize([Float64Array.from(times)]);
    assert.ok(size >= 1 && size <= times.length);
    assert.equal(clusterSize([Float64Array.from(times.toReversed())]), size);
  }));
});
