import assert from "node:assert/strict";
import { randomStream } from "../../src/core/statistics/random_stream.ts";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { statisticsOf } from "../support/recomputed.ts";

const DRAWS = 20_000;

function drawn(description: string, seed = 1): number[] {
  const distribution = latencyDistribution(description);
  const random = randomStream(seed, "test");
  return Array.from({ length: DRAWS }, () => distribution(random));
}

/** Mean, median, deviation, and whether they lie where the description says. */
const SHAPES: readonly [string, Readonly<Record<"avg" | "p50" | "std", number>>][] = [
  ["50", { avg: 50, p50: 50, std: 0 }],
  ["0.25", { avg: 0.25, p50: 0.25, std: 0 }],
  ["0", { avg: 0, p50: 0, std: 0 }],
  ["uniform:40:60", { avg: 50, p50: 50, std: 20 / Math.sqrt(12) }],
  ["normal:50:5", { avg: 50, p50: 50, std: 5 }],
  ["exponential:50", { avg: 50, p50: 50 * Math.LN2, std: 50 }],
  ["lognormal:50:0.5", {
    avg: 50 * Math.exp(0.125),
    p50: 50,
    std: 50 * Math.exp(0.125) * Math.sqrt(Math.exp(0.25) - 1),
  }],
];

for (const [description, shape] of SHAPES) {
  Deno.test(`latencyDistribution draws what ${description} says`, () => {
    const found = statisticsOf(drawn(description));
    for (const [name, expected] of Object.entries(shape)) {
      const tolerance = expected === 0 ? 1e-9 : expected * 0.05;
      const value = found[name] as number;
      assert.ok(Math.abs(value - expected) <= tolerance, `${name} is ${value}, not ${expected}`);
    }
  });
}

Deno.test("latencyDistribution stays within its range and never goes below zero", () => {
  const uniform = drawn("uniform:40:60");
  assert.ok(uniform.every((value) => value >= 40 && value < 60));
  const wide = drawn("normal:1:10");
  assert.ok(wide.every((value) => value >= 0));
  assert.ok(wide.some((value) => value === 0));
  for (const description of ["exponential:0", "lognormal:0:2", "uniform:0:0", "normal:0:0"]) {
    assert.deepEqual(new Set(drawn(description)), new Set([0]), description);
  }
});

Deno.test("latencyDistribution draws the same from the same seed and other values from another", () => {
  for (const [description, { std }] of SHAPES) {
    assert.deepEqual(drawn(description, 3), drawn(description, 3));
    if (std > 0) assert.notDeepEqual(drawn(description, 3), drawn(description, 4));
  }
});

for (
  const wrong of [
    ...["", " ", "-1", "abc", "NaN", "Infinity", "1e999", "1,5"],
    ...["uniform", "uniform:1", "uniform:1:", "uniform:1:2:3", "uniform:-1:2", "uniform::"],
    ...["normal:50", "normal:50:-5", "exponential:", "exponential:1:2", "lognormal:50"],
    ...["lognormal:50:Infinity", "pareto:1:2", "Uniform:1:2"],
  ]
) {
  Deno.test(`latencyDistribution refuses ${JSON.stringify(wrong)}`, () => {
    assert.throws(
      () => latencyDistribution(wrong),
      (error) =>
        error instanceof RangeError && error.message.startsWith("Must be milliseconds or one of") &&
        error.message.endsWith(`got "${wrong}"`),
    );
  });
}
