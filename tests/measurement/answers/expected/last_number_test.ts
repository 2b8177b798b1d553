import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { lastNumber } from "../../../../src/measurement/answers/expected/last_number.ts";

const CASES: readonly (readonly [text: string, value: number | undefined])[] = [
  ["42", 42],
  ["The answer is 42.", 42],
  ["first 7, then -8", -8],
  ["\u22125 degrees", -5],
  ["10-4", 4],
  ["x = -4", -4],
  ["GPT-4", 4],
  ["1,234,567.5 in total", 1_234_567.5],
  ["1,23", 23],
  ["$1,000", 1000],
  ["50 %", 50],
  ["1.5e3", 1500],
  ["2e-2", 0.02],
  ["3/4", 0.75],
  ["-1/8 of it", -0.125],
  ["2024/05/06", 6],
  ["\\boxed{17}", 17],
  ["\\frac{3}{4}", 0.75],
  ["-\\frac{3}{4}", -0.75],
  ["5-\\frac{1}{2}", 0.5],
  ["-$1,234.50", -1234.5],
  ["10-$5", 5],
  ["½", 0.5],
  ["-2¾ m", -2.75],
  ["about 1{,}000", 1000],
  ["12\u202f000", 12_000],
  ["2.5 \\times 10^{-4}", 2.5e-4],
  ["6 × 10^5", 600_000],
  ["9 m²", 9],
  [".5", 0.5],
  ["\\boxed{42}. I checked it 2 times.", 42],
  ["\\boxed{1}, no: $\\boxed{\\frac{3}{4} \\text{ cm}^{2}}$ (step 5)", 0.75],
  ["\\boxed{\\text{none}} of 3", 3],
  ["\\boxed{12", 12],
  ["-\\dfrac34", -0.75],
  ["6 × 10⁵", 600_000],
  ["6×10⁻⁵", 6e-5],
  ["10² m", 10],
  ["9.81 m/s^2", 9.81],
  ["3 \\text{ cm}^{-1}", 3],
  ["5 m^{2}", 5],
  ["1'234'567.5 or 1_000", 1000],
  ["1’234", 1234],
  ["none", undefined],
  ["", undefined],
];

Deno.test("lastNumber finds the last number of a text", () => {
  for (const [text, value] of CASES) assert.equal(lastNumber(text), value, text);
});

Deno.test("lastNumber finds any number that ends a sentence", () => {
  fc.assert(
    fc.property(fc.integer(), fc.string({ unit: fc.constantFrom(..."abc xyz") }), (n, words) => {
      assert.equal(lastNumber(`${words} is ${n}.`), n);
      assert.equal(lastNumber(`${words}: ${n.toLocaleString("en-US")}`), n);
    }),
  );
});
