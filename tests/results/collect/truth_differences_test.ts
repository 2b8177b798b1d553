import assert from "node:assert/strict";
import { truthFigures } from "../../../src/config/gate/truth_figure.ts";
import { truthDifferences } from "../../../src/results/collect/truth_differences.ts";

function runsWith(...caches: readonly Readonly<Record<string, number | null>>[]) {
  return caches.map((cache) => ({ judged: { truth: truthFigures({ cache }) } }));
}

Deno.test("truthDifferences has the means of what the servers of both sides report", () => {
  const before = runsWith({ "hit_rate": 0.4, "achieved_of_ideal": 0.9 }, {
    "hit_rate": 0.5,
    "achieved_of_ideal": null,
  });
  const after = runsWith({ "hit_rate": 0.6, "achieved_of_ideal": 1 });
  assert.deepEqual(truthDifferences(before, after), ["cache.hit_rate 45 % and 60 %"]);
  assert.deepEqual(truthDifferences(after, [{ judged: {} }]), []);
});
