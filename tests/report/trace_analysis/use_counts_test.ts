import assert from "node:assert/strict";
import fc from "fast-check";
import { UseCounts } from "../../../src/report/trace_analysis/use_counts.ts";

Deno.test("useCounts counts like a map, however many ids there are", () => {
  const id = fc.oneof(fc.nat(50), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));
  fc.assert(fc.property(fc.array(id, { maxLength: 200 }), fc.nat(3000), (ids, many) => {
    const counts = new UseCounts();
    const expected = new Map<number, number>();
    const all = [...ids, ...Array.from({ length: many }, (_, i) => i * 512)];
    for (const one of all) {
      assert.equal(counts.has(one), expected.has(one));
      counts.add(one);
      expected.set(one, (expected.get(one) ?? 0) + 1);
    }
    assert.equal(counts.size, expected.size);
    assert.deepEqual(
      [...counts.counts()].sort((a, b) => a - b),
      [...expected.values()].sort((a, b) => a - b),
    );
    assert.equal(counts.has(-2), false);
  }));
});
