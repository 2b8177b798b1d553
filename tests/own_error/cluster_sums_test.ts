import assert from "node:assert/strict";
import fc from "fast-check";
import { ClusterSums } from "../../src/own_error/cluster_sums.ts";

const MS = 1e6;

/** Chunks as rows of worker, time, and the most that each can have been late, in milliseconds. */
function sumsOf(rows: readonly (readonly [number, number, number])[], isKnown = true): ClusterSums {
  const workers = Float64Array.from(rows, ([worker]) => worker);
  const stampNs = Float64Array.from(rows, ([, stamp]) => stamp * MS);
  const atMostNs = isKnown ? Float64Array.from(rows, ([, , most]) => most * MS) : undefined;
  const stamps = new Map(
    [...new Set(workers)].map((worker) => [
      worker,
      Float64Array.from(rows.filter(([own]) => own === worker), ([, stamp]) => stamp * MS).sort(),
    ]),
  );
  return new ClusterSums({ workers, stampNs, atMostNs }, stamps);
}

Deno.test("ClusterSums are those of the chunks that are read together, on one thread", () => {
  const sums = sumsOf([
    ...[[0, 101, 3], [0, 0, 1], [0, 2, 2], [1, 1, 7], [0, 100, 3], [0, 4, 0.5]] as const,
    [0, 50, Infinity],
  ]);
  assert.equal(sums.greatest(Infinity, 0), Infinity);
  assert.equal(sums.greatest(10 * MS, 0), 10 * MS, "one of which nothing is known");
  assert.equal(sums.greatest(2.5 * MS, 0), 5 * MS, "two at 100 ms");
  assert.equal(sums.greatest(0.8 * MS, 0), 2.1 * MS, "three at the beginning");
  assert.equal(sums.greatest(2.5 * MS, 2 * MS), 1 * MS, "what is beyond 2 ms");
});

Deno.test("ClusterSums without the most that chunks can have been late are not known", () => {
  assert.equal(sumsOf([[0, 1, 1]], false).greatest(1, 0), Infinity);
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
