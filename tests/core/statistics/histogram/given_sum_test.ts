import fc from "fast-check";
import assert from "node:assert/strict";
import { CELLS, curvedDensity } from "../../../../src/core/statistics/histogram/bucket_density.ts";
import { givenSum, weighByGuess } from "../../../../src/core/statistics/histogram/given_sum.ts";
import { normalQuantiles } from "../../../../src/core/statistics/histogram/normal_quantiles.ts";

Deno.test("givenSum knows an observation that is alone in its interval", () => {
  // Expected at 0.3, the sum says 0.45.
  const { mean, deviation, vagueness } = givenSum(1, 0.3, 0.01, 0.15, 0.01, 1);
  assert.ok(Math.abs(mean - 0.45) < 1e-12);
  assert.ok(deviation < 1e-9 && vagueness < 1e-9);
});

Deno.test("givenSum shares what the sum is off by among alike observations", () => {
  // Four of them: each takes a quarter, and a quarter of its variance is known.
  const { mean, deviation, guess, guessVariance, vagueness } = givenSum(4, 1, 0.04, 0.8, 0.16, 1);
  assert.ok(Math.abs(mean - 1.2) < 1e-12);
  assert.ok(Math.abs(deviation ** 2 - 0.03) < 1e-12);
  assert.ok(Math.abs(vagueness - 3) < 1e-12);
  // One of them, if the other three were at their means.
  assert.ok(Math.abs(guess - 1.8) < 1e-12 && Math.abs(guessVariance - 0.12) < 1e-12);
});

Deno.test("givenSum moves observations of a batch together", () => {
  const { mean, deviation } = givenSum(8, 1, 0.04, 1.6, 8 * 8 * 0.04, 8);
  assert.ok(Math.abs(mean - 1.2) < 1e-12);
  assert.ok(deviation < 1e-6);
});

Deno.test("givenSum of an unknown sum leaves everything as it was", () => {
  const { mean, deviation, vagueness } = givenSum(3, 2, 0.25, 0, Infinity, 1);
  assert.deepEqual([mean, deviation, vagueness], [2, 0.5, Infinity]);
});

Deno.test("weighByGuess is the product of a density and a normal one", () => {
  const somewhere = fc.double({ min: -1, max: 2, noNaN: true });
  fc.assert(fc.property(
    fc.double({ min: -6, max: 6, noNaN: true }),
    fc.double({ min: -12, max: 3, noNaN: true }),
    somewhere,
    fc.double({ min: 0.02, max: 2, noNaN: true }),
    (slope, curvature, guess, deviation) => {
      const density = curvedDensity(slope, curvature);
      const product = density.map((weight, cell) =>
        weight * Math.exp(-((((cell + 0.5) / CELLS - guess) / deviation) ** 2) / 2)
      );
      const sum = product.reduce((total, weight) => total + weight, 0);
      fc.pre(sum > 1e-200);
      const target = new Float64Array(CELLS);
      weighByGuess(density, guess, deviation ** 2, target);
      target.forEach((weight, cell) => {
        assert.ok(Math.abs(weight - (product[cell] as number) / sum) < 1e-6);
      });
    },
  ));
});

Deno.test("weighByGuess is a density wherever the guess is, and however sure", () => {
  const target = new Float64Array(CELLS);
  for (const guess of [-1e6, -0.3, 0, 0.5, 1, 40]) {
    for (const variance of [0, 1e-9, 0.1, 1e9, Infinity]) {
      weighByGuess(curvedDensity(1, -3), guess, variance, target);
      const sum = target.reduce((total, weight) => total + weight, 0);
      assert.ok(Math.abs(sum - 1) < 1e-9, `${sum} for ${guess} and ${variance}`);
    }
  }
});

Deno.test("normalQuantiles have mean zero, and variance one the more there are", () => {
  for (const [length, least] of [[8, 0.85], [64, 0.97]] as const) {
    const quantiles = normalQuantiles(length);
    assert.equal(quantiles.length, length);
    const sum = quantiles.reduce((total, value) => total + value, 0);
    const variance = quantiles.reduce((total, value) => total + value * value, 0) / length;
    assert.ok(Math.abs(sum) < 1e-9);
    assert.ok(variance > least && variance < 1, `${variance}`);
    quantiles.forEach((value, i) => assert.ok(value > (quantiles[i - 1] ?? -Infinity)));
  }
  // The quartiles of the standard normal distribution.
  assert.ok(Math.abs((normalQuantiles(2)[1] as number) - 0.6745) < 1e-3);
});
