import assert from "node:assert/strict";
import fc from "fast-check";
import { ClusterSums } from "../../src/own_error/cluster_sums.ts";

const MS = 1e6;

/**
 * Chunks as rows of worker, time, and the most that each can have been late, in milliseconds.
 * @param canaryMs when the canaries of the first worker were read
 */
function sumsOf(
  rows: readonly (readonly [number, number, number])[],
  isKnown = true,
  canaryMs: readonly number[] = [],
): ClusterSums {
  const workers = Float64Array.from(rows, ([worker]) => worker);
  const stampNs = Float64Array.from(rows, ([, stamp]) => stamp * MS);
  const atMostNs = isKnown ? Float64Array.from(rows, ([, , most]) => most * MS) : undefined;
  const stamps = new Map(
    [...new Set(workers)].map((worker) => [
      worker,
      Float64Array.from(rows.filter(([own]) => own === worker), ([, stamp]) => stamp * MS).sort(),
    ]),
  );
  const readNs = Float64Array.from(canaryMs, (ms) => ms * MS);
  const canaries = new Map([[0, { readNs, delayNs: new Float64Array(readNs.length) }]]);
  return new ClusterSums({ workers, stampNs, atMostNs }, stamps, canaries);
}

Deno.test("ClusterSums are those of the chunks that are read together, on one thread", () => {
  const sums = sumsOf([
    ...[[0, 101, 3], [0, 0, 1], [0, 2, 2], [1, 1, 7], [0, 100, 3], [0, 4, 0.5]] as const,
    [0, 50, Infinity],
  ]);
  assert.equal(sums.greatest(Infinity, 0), Infinity);
  assert.equal(sums.greatest(10 * MS, 0), 10 * MS, "one of which nothing is known");
  assert.equal(sums.greatest(2.5 * MS, 0), 5 * MS, "two at 100 ms");
  assert.equal(sums.greatest(0.7 * MS, 0), 0.7 * MS * 15 / 7, "no more than of a usual cluster");
  assert.equal(sums.greatest(2.5 * MS, 2 * MS), 1 * MS, "what is beyond 2 ms");
  const three = sumsOf([[0, 4, 0.5], [0, 0, 1], [1, 1, 3], [0, 2, 2]]);
  assert.equal(three.greatest(10 * MS, 0), 3.5 * MS, "of three, together later than the one");
});

Deno.test("ClusterSums without the most that chunks can have been late are those of a usual cluster", () => {
  const rows = [[0, 0, 1], [0, 1, 1], [0, 2, 1], [1, 2, 1]] as const;
  // Three of the chunks are read with two others, one by itself: (9 + 1) / 4 are, on average.
  assert.equal(sumsOf(rows, false).greatest(4 * MS, 1 * MS), 3 * 2.5 * MS);
  assert.equal(sumsOf(rows, false).greatest(1 * MS, 2 * MS), 0, "none is so late");
  assert.equal(sumsOf(rows, false).greatest(Infinity, 0), Infinity);
});

Deno.test("ClusterSums are of as many of the chunks as canaries among them may not have shown", () => {
  const rows = [[0, 10, 2], [0, 12, 2], [0, 50, 1], [1, 10, 0.5]] as const;
  const greatest = (...canaryMs: readonly number[]) =>
    sumsOf(rows, true, canaryMs).greatest(3 * MS, 0) / MS;
  assert.equal(greatest(), 4);
  assert.equal(greatest(9, 13), 4, "they were read before and after");
  assert.equal(greatest(10, 11, 12), 4, "three may have missed all");
  assert.equal(greatest(10, 10, 11, 11, 12, 12), 2);
  assert.equal(greatest(...new Array(30).fill(11)), 1, "the cluster of one is greater now");
  assert.equal(
    sumsOf(rows, false, new Array(12).fill(11)).greatest(1 * MS, 0) / MS,
    (1 + 1 + 1) / 4,
  );
});

Deno.test("ClusterSums are no more than all chunks together, and no less than any of them", () => {
  const row = fc.tuple(
    fc.integer({ min: 0, max: 2 }),
    fc.integer({ min: 0, max: 500 }),
    fc.integer({ min: 0, max: 20 }),
  );
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), fc.integer({ min: 0, max: 5 }), (rows, ms) => {
      const greatest = sumsOf(rows).greatest(Infinity, ms * MS) / MS;
      const beyond = rows.map(([, , most]) => Math.max(0, most - ms));
      assert.ok(greatest >= Math.max(...beyond));
      assert.ok(greatest <= beyond.reduce((sum, each) => sum + each, 0));
    }),
  );
});
