import assert from "node:assert/strict";
import fc from "fast-check";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";
import { mserTruncation } from "../../../src/measurement/steady/mser_truncation.ts";

Deno.test("mserTruncation truncates a transient at the beginning", () => {
  const random = randomStream(1, "mser");
  for (const transient of [5, 16, 40]) {
    const values = Float64Array.from(
      { length: 200 },
      (_, i) => (i < transient ? 300 * (1 - i / (2 * transient)) : 80) + 10 * random(),
    );
    const truncated = mserTruncation(values);
    assert.ok(truncated >= transient && truncated <= 100, `${transient}: ${truncated}`);
  }
});

Deno.test("mserTruncation keeps equal values", () => {
  assert.equal(mserTruncation(new Float64Array(100).fill(5)), 0);
  assert.equal(mserTruncation(new Float64Array(3)), 0);
  assert.equal(mserTruncation(new Float64Array(0)), 0);
});

Deno.test("mserTruncation is the least standard error of the batches that remain", () => {
  const value = fc.double({ min: 0, max: 1e3, noNaN: true });
  fc.assert(fc.property(fc.array(value, { minLength: 5, maxLength: 200 }), (list) => {
    const values = Float64Array.from(list);
    const truncated = mserTruncation(values);
    assert.equal(truncated % 5, 0);
    assert.ok(truncated <= values.length / 2);
    const errorOf = (from: number): number => {
      const means = [];
      for (let at = from; at + 5 <= values.length; at += 5) {
        means.push(values.subarray(at, at + 5).reduce((sum, each) => sum + each, 0) / 5);
      }
      const mean = means.reduce((sum, each) => sum + each, 0) / means.length;
      return means.reduce((sum, each) => sum + (each - mean) ** 2, 0) / means.length ** 2;
    };
    const batches = Math.floor(values.length / 5);
    const own = errorOf(truncated);
    for (let batch = 0; batch <= batches / 2; batch++) {
      assert.ok(own <= errorOf(5 * batch) * (1 + 1e-6) + 1e-9, `${own} at ${truncated}`);
    }
  }));
});
