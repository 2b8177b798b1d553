import fc from "fast-check";
import assert from "node:assert/strict";
import { canonicalBound } from "../../../src/statistics/histogram/canonical_bound.ts";

const SPELLINGS: readonly (readonly [string, string | null])[] = [
  ["1", "1.0"],
  ["1.0", "1.0"],
  ["1e0", "1.0"],
  ["+1.00", "1.0"],
  ["0", "0.0"],
  ["-0", "0.0"],
  ["-5", "-5.0"],
  [".25", "0.25"],
  ["2560", "2560.0"],
  ["2560.", "2560.0"],
  ["100000", "100000.0"],
  // From here on Go, Python's client and OpenMetrics write an exponent.
  ["1000000", "1e+06"],
  ["1e+06", "1e+06"],
  ["1048576.0", "1.048576e+06"],
  ["-1.5e10", "-1.5e+10"],
  ["1e100", "1e+100"],
  ["0.0001", "0.0001"],
  ["0.00001", "1e-05"],
  ["1E-05", "1e-05"],
  ["0.30000000000000004", "0.30000000000000004"],
  ["+Inf", "+Inf"],
  ["Inf", "+Inf"],
  ["inf", "+Inf"],
  ["Infinity", "+Inf"],
  ["+infinity", "+Inf"],
  ["1e999", "+Inf"],
  ["-Inf", "-Inf"],
  ["-inf", "-Inf"],
  ["-Infinity", "-Inf"],
  ["-1e999", "-Inf"],
  ["NaN", null],
  ["", null],
  [" 1", null],
  ["1_000", null],
  ["0x10", null],
  ["1e", null],
  ["fast", null],
  ["9".repeat(2000), null],
];

for (const [le, canonical] of SPELLINGS) {
  Deno.test(`canonicalBound writes ${JSON.stringify(le.slice(0, 30))} as ${canonical}`, () => {
    assert.equal(canonicalBound(le), canonical);
  });
}

Deno.test("canonicalBound gives one text per number, and that text is the number", () => {
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (bound) => {
    const text = canonicalBound(String(bound));
    assert.ok(text !== null);
    assert.equal(Number(text), bound === 0 ? 0 : bound);
    assert.equal(canonicalBound(bound.toExponential()), text);
    assert.equal(canonicalBound(text), text);
    assert.match(text, /[.e]/);
  }));
});
