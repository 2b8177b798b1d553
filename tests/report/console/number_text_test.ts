import fc from "fast-check";
import assert from "node:assert/strict";
import {
  countText,
  durationText,
  fullNumber,
  roughDuration,
  shortNumber,
  significantText,
} from "../../../src/report/console/number_text.ts";

const FULL: readonly [number, string][] = [
  [0, "0.00"],
  [0.004, "0.00"],
  [0.006, "0.01"],
  [12, "12.00"],
  [999.999, "1,000.00"],
  [1234.5, "1,234.50"],
  [12_345_678.9, "12,345,678.90"],
  [-1234.5, "-1,234.50"],
  [1e15, "1,000,000,000,000,000.00"],
];

Deno.test("fullNumber has separators of thousands and two decimals", () => {
  for (const [value, text] of FULL) assert.equal(fullNumber(value), text);
});

const SHORT: readonly [number, string][] = [
  [0, "0.00"],
  [1.234, "1.23"],
  [99.994, "99.99"],
  [123.45, "123.5"],
  [999.94, "999.9"],
  [1234.5, "1,235"],
  [999_999.4, "999,999"],
  [999_999.5, "1.0e+6"],
  [1_234_567, "1.2e+6"],
  [1.25e9, "1.3e+9"],
  [-1234, "-1,234"],
];

Deno.test("shortNumber keeps the digits that matter", () => {
  for (const [value, text] of SHORT) assert.equal(shortNumber(value), text);
});

Deno.test("shortNumber takes seven characters at most and is never far off", () => {
  fc.assert(fc.property(fc.double({ min: 0, max: 1e99, noNaN: true }), (value) => {
    const text = shortNumber(value);
    assert.ok(text.length <= 7, text);
    const read = Number(text.replaceAll(",", ""));
    assert.ok(Math.abs(read - value) <= Math.max(0.0051, value * 0.051), `${value}: ${text}`);
  }));
});

const DURATIONS: readonly [number, string][] = [
  [0, "0 ms"],
  [0.0004, "0 ms"],
  [0.85, "850 ms"],
  [0.9994, "999 ms"],
  [0.9996, "1.0 s"],
  [1, "1.0 s"],
  [12.34, "12.3 s"],
  [59.94, "59.9 s"],
  [59.96, "1 min 00 s"],
  [60, "1 min 00 s"],
  [245.4, "4 min 05 s"],
  [3599.4, "59 min 59 s"],
  [3599.6, "1 h 00 min"],
  [7380, "2 h 03 min"],
  [360_000, "100 h 00 min"],
];

Deno.test("durationText tells durations as people do, without ever reaching the next unit", () => {
  for (const [seconds, text] of DURATIONS) assert.equal(durationText(seconds), text);
});

const SIGNIFICANT: readonly [number, string][] = [
  [0, "0"],
  [0.0004, "0"],
  [0.0123, "0.012"],
  [0.99961, "1.00"],
  [8.006, "8.01"],
  [9.996, "10.0"],
  [63.84, "63.8"],
  [99.97, "100"],
  [568.4, "568"],
  [1736.4, "1,736"],
  [-12.34, "-12.3"],
  [1_234_567.8, "1,234,568"],
  [NaN, "-"],
];

Deno.test("significantText has three digits that mean something", () => {
  for (const [value, text] of SIGNIFICANT) assert.equal(significantText(value), text);
  assert.equal(significantText(8.01, { maxDecimals: 1 }), "8.0");
  assert.equal(significantText(63.8, { maxDecimals: 0 }), "64");
  assert.equal(significantText(57.3, { digits: 2 }), "57");
});

Deno.test("countText shows counts as they are, and means of counts as such", () => {
  for (const [value, text] of [[160, "160"], [10_240, "10,240"], [14.68, "14.7"]] as const) {
    assert.equal(countText(value), text);
  }
});

Deno.test("roughDuration is no more exact than a forecast", () => {
  for (
    const [seconds, text] of [[0.2, "0 s"], [3.4, "3 s"], [99.4, "99 s"], [100, "2 min"], [
      5400,
      "90 min",
    ], [9000, "2.5 h"]] as const
  ) assert.equal(roughDuration(seconds), text);
});
