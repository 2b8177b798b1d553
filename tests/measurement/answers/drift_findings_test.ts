import assert from "node:assert/strict";
import { driftFindings } from "../../../src/measurement/answers/drift_findings.ts";

Deno.test("driftFindings compares prompts that were answered in all three passes", () => {
  const found = driftFindings({
    prompts: [10, 11, 12, 13, 14, 15],
    before: ["same", "one two", "abc", "x", undefined, "late"],
    under: ["same", "one four!", "abc", "x", "y", undefined],
    after: ["same", "one two", "abd", "x", "y", "late"],
  });
  assert.ok(found !== undefined);
  assert.equal(found.sample, 4);
  assert.equal(found.underLoad, 0.25);
  assert.equal(found.noiseFloor, 0.25);
  assert.ok(found.lower < 0 && found.upper > 0);
  assert.deepEqual(found.divergence, { position: 4, lengthRatio: 9 / 7 });
  assert.deepEqual(found.examples, [
    { prompt: 1, position: 4, alone: "one two", underLoad: "one four!" },
  ]);
  assert.equal(found.wanted, 6);
  const rows = found.fingerprints ?? [];
  assert.deepEqual(rows.map(({ prompt }) => prompt), [10, 11, 12, 13]);
  assert.deepEqual(rows.map(({ before, under }) => before === under), [true, false, true, true]);
  assert.deepEqual(rows.map(({ before, after }) => before === after), [true, true, false, true]);
});

Deno.test("driftFindings knows nothing without a complete prompt, and keeps ten examples", () => {
  const none = { prompts: [1], before: ["a"], under: [undefined], after: ["a"] };
  assert.equal(driftFindings(none), undefined);
  const before = Array.from({ length: 32 }, () => "a");
  const found = driftFindings({
    prompts: [...before.keys()],
    ...{ before, under: before.map(() => "b"), after: before },
  });
  assert.equal(found?.examples.length, 10);
  assert.equal(found?.underLoad, 1);
});
