import fc from "fast-check";
import assert from "node:assert/strict";
import {
  CELLS,
  curvedDensity,
  densityMoments,
  tiltDensity,
} from "../../../../src/core/statistics/histogram/bucket_density.ts";

const someDensity = fc.tuple(
  fc.double({ min: -6, max: 6, noNaN: true }),
  fc.double({ min: -12, max: 3, noNaN: true }),
).map(([slope, curvature]) => curvedDensity(slope, curvature));

Deno.test("curvedDensity without slope and curvature is even", () => {
  const { mean, variance } = densityMoments(curvedDensity(0, 0));
  assert.ok(Math.abs(mean - 0.5) < 1e-12);
  assert.ok(Math.abs(variance - 1 / 12) < 1e-12);
});

Deno.test("tiltDensity has the moments that were asked for", () => {
  fc.assert(
    fc.property(
      someDensity,
      fc.double({ min: 0.1, max: 0.9, noNaN: true }),
      fc.double({ min: 0.05, max: 0.7, noNaN: true }),
      (prior, mean, part) => {
        const variance = part * mean * (1 - mean);
        const moments = densityMoments(tiltDensity(prior, mean, variance));
        assert.ok(Math.abs(moments.mean - mean) < 0.004, `${moments.mean} for ${mean}`);
        assert.ok(
          Math.abs(moments.variance - variance) < 0.03 * variance + 2e-4,
          `${moments.variance} for ${variance}`,
        );
      },
    ),
  );
});

Deno.test("tiltDensity is a density whatever it is asked for", () => {
  const someNumber = fc.double({ min: -2, max: 2, noNaN: true });
  fc.assert(fc.property(someDensity, someNumber, someNumber, (prior, mean, variance) => {
    const density = tiltDensity(prior, mean, variance);
    assert.equal(density.length, CELLS);
    assert.ok(density.every((weight) => weight >= 0));
    assert.ok(Math.abs(density.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-9);
  }));
});

Deno.test("tiltDensity leaves a density as it is that has the moments already", () => {
  const prior = curvedDensity(2, -5);
  const { mean, variance } = densityMoments(prior);
  tiltDensity(prior, mean, variance).forEach((weight, cell) => {
    assert.ok(Math.abs(weight - (prior[cell] as number)) < 1e-4);
  });
});
