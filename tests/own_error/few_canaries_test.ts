import assert from "node:assert/strict";
import { areFewCanaries } from "../../src/own_error/few_canaries.ts";

const MS = 1e6;

/** So many canaries, in groups that are read at once and a second apart. */
function grouped(count: number, groups: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => (i % groups) * 1000 * MS);
}

Deno.test("canaries are few below sixty, on all threads together", () => {
  assert.ok(areFewCanaries([]));
  assert.ok(areFewCanaries([grouped(59, 59)]));
  assert.ok(!areFewCanaries([grouped(60, 60)]));
  assert.ok(areFewCanaries([grouped(30, 30), grouped(29, 29)]));
  assert.ok(!areFewCanaries([grouped(30, 30), grouped(30, 30)]));
});

Deno.test("canaries that are read together say as much as one, unless there are many", () => {
  assert.ok(areFewCanaries([grouped(100, 19)]));
  assert.ok(!areFewCanaries([grouped(100, 20)]));
  assert.ok(!areFewCanaries([grouped(50, 10), grouped(50, 10)]));
  assert.ok(areFewCanaries([grouped(599, 1)]));
  assert.ok(!areFewCanaries([grouped(600, 1)]));
});
