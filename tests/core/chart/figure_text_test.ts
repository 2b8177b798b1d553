import assert from "node:assert/strict";
import {
  countText,
  figureText,
  millisecondsText,
  quantityText,
} from "../../../src/core/chart/figure_text.ts";

Deno.test("figureText has three significant digits, and thousands apart", () => {
  const cases: [number, string][] = [
    [0, "0"],
    [16, "16"],
    [1736.4, "1,736"],
    [27.06, "27.1"],
    [0.99951, "1.00"],
    [9.996, "10.0"],
    [99.96, "100"],
    [-99.96, "-100"],
    [0.00123456, "0.00123"],
    [-8.004, "-8.00"],
    [1234567, "1,234,567"],
    [4.2e12, "4.20e+12"],
    [3e-7, "3.00e-7"],
    [NaN, "-"],
  ];
  for (const [value, text] of cases) assert.equal(figureText(value), text);
});

Deno.test("millisecondsText goes over to seconds from ten of them on", () => {
  assert.equal(millisecondsText(60.46), "60.5 ms");
  assert.equal(millisecondsText(9999), "9,999 ms");
  assert.equal(millisecondsText(12_340), "12.3 s");
  assert.equal(quantityText(0.81, "%"), "0.810 %");
  assert.equal(quantityText(16, ""), "16");
  assert.equal(countText(100_000), "100,000");
});
