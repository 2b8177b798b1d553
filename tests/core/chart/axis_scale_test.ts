import assert from "node:assert/strict";
import fc from "fast-check";
import { axisScale, niceStep, withHeadroom } from "../../../src/core/chart/axis_scale.ts";

const axis = (scale: "linear" | "log", bounds = {}) => ({ label: "", unit: "", scale, ...bounds });

Deno.test("axisScale puts round values beside a linear axis", () => {
  const { ticks, at } = axisScale(axis("linear", { min: 0 }), [3, 94], 5);
  assert.deepEqual(ticks, [0, 20, 40, 60, 80]);
  assert.equal(at(47), 0.5);
});

Deno.test("axisScale has each decade of a logarithmic axis, and more values where there is room", () => {
  assert.deepEqual(axisScale(axis("log"), [1, 1000], 5).ticks, [1, 10, 100, 1000]);
  assert.deepEqual(axisScale(axis("log"), [1, 10], 5).ticks, [1, 2, 5, 10]);
  assert.equal(axisScale(axis("log"), [0, 1, 100], 5).at(10), 0.5);
});

Deno.test("axisScale copes with no values, one value, and equal ones", () => {
  for (const scale of ["linear", "log"] as const) {
    for (const values of [[], [5], [7, 7], [0]]) {
      const { min, max, ticks } = axisScale(axis(scale), values, 4);
      assert.ok(max > min, `${scale} ${values}`);
      assert.ok(ticks.length >= 1 && ticks.length < 20, `${scale} ${values}: ${ticks}`);
    }
  }
});

Deno.test("axisScale takes values for equal that differ by less than numbers can tell apart", () => {
  const { min, max, ticks } = axisScale(axis("linear"), [1e9, 1e9 + 2 ** -23], 4);
  assert.equal(min, 1e9);
  assert.ok(max > 1.9e9);
  assert.ok(ticks.length >= 1 && ticks.length < 20, `${ticks}`);
  assert.ok(axisScale(axis("linear"), [1e9, 1e9 + 10], 4).ticks.length > 2);
});

Deno.test("axisScale keeps its ticks between its bounds, not too many of them", () => {
  fc.assert(fc.property(
    fc.array(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), { minLength: 1 }),
    fc.constantFrom("linear" as const, "log" as const),
    fc.integer({ min: 2, max: 12 }),
    (values, scale, wanted) => {
      const { min, max, ticks } = axisScale(axis(scale), values, wanted);
      assert.ok(ticks.length <= 3 * wanted + 3, `${ticks.length} of ${wanted}`);
      const slack = (max - min) * 1e-6 + max * 1e-2;
      for (const tick of ticks) assert.ok(tick >= min - slack && tick <= max + slack);
    },
  ));
});

Deno.test("withHeadroom leaves room above the highest value, but not above a bound", () => {
  assert.equal(withHeadroom(axis("linear", { min: 0 }), [100], 4).max, 106);
  assert.equal(withHeadroom(axis("linear", { min: 0, max: 100 }), [100], 4).max, 100);
});

Deno.test("niceStep rounds up to 1, 2 or 5 times a power of ten", () => {
  assert.deepEqual([0.011, 0.1, 3, 6, 0].map(niceStep), [0.02, 0.1, 5, 10, 1]);
});
