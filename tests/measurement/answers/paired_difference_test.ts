import assert from "node:assert/strict";
import {
  estimatedDifference,
  pairedDifference,
  shareEstimate,
  wilsonInterval,
} from "../../../src/measurement/answers/paired_difference.ts";

Deno.test("pairedDifference gives the interval of Newcombe's first example", () => {
  const counts = { both: 36, onlyFirst: 12, onlySecond: 2, neither: 0 };
  const { difference, lower, upper } = pairedDifference(counts);
  assert.equal(difference.toFixed(4), "0.2000");
  assert.equal(lower.toFixed(4), "0.0569");
  assert.equal(upper.toFixed(4), "0.3404");
});

Deno.test("intervals of few pairs are wide, and stay within what is possible", () => {
  assert.deepEqual(wilsonInterval(0, 0), [0, 1]);
  assert.equal(wilsonInterval(0, 10)[0], 0);
  assert.equal(wilsonInterval(0, 10)[1].toFixed(4), "0.2775");
  assert.equal(wilsonInterval(10, 10)[1], 1);
  const all = pairedDifference({ both: 0, onlyFirst: 32, onlySecond: 0, neither: 0 });
  assert.equal(all.difference, 1);
  assert.ok(all.lower > 0.8 && all.upper === 1, JSON.stringify(all));
  const none = pairedDifference({ both: 0, onlyFirst: 0, onlySecond: 0, neither: 32 });
  assert.ok(none.lower > -0.2 && none.lower < 0 && none.upper < 0.2, JSON.stringify(none));
});

Deno.test("estimatedDifference gives the interval of Newcombe's first example of independent shares", () => {
  const { difference, lower, upper } = estimatedDifference(
    shareEstimate(56, 70),
    shareEstimate(48, 80),
  );
  assert.equal(difference.toFixed(4), "0.2000");
  assert.equal(lower.toFixed(4), "0.0524");
  assert.equal(upper.toFixed(4), "0.3339");
});
