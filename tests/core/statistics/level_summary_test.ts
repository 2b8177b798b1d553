import assert from "node:assert/strict";
import fc from "fast-check";
import { type LevelSummary, summarizeLevels } from "../../../src/core/statistics/level_summary.ts";

/** The same by the definition, one step after another. */
function expected(stretches: readonly (readonly [level: number, duration: number])[]) {
  const sorted = stretches.toSorted(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, duration]) => sum + duration, 0);
  const avg = sorted.reduce((sum, [level, duration]) => sum + level * duration, 0) / total;
  const squares = sorted.reduce((sum, [level, time]) => sum + (level - avg) ** 2 * time, 0);
  const at = (share: number): number => {
    let time = 0;
    for (const [level, duration] of sorted) {
      time += duration;
      if (time >= share * total) return level;
    }
    return NaN;
  };
  return {
    avg,
    min: sorted[0]?.[0] ?? NaN,
    max: sorted.at(-1)?.[0] ?? NaN,
    std: Math.sqrt(squares / total),
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
  };
}

function summaryOf(stretches: readonly (readonly [number, number])[]): LevelSummary {
  return summarizeLevels(
    Float64Array.from(stretches, ([level]) => level),
    Float64Array.from(stretches, ([, duration]) => duration),
  );
}

Deno.test("summarizeLevels weighs levels by how long they lasted", () => {
  const summary = summaryOf([[4, 1], [0, 6], [1, 3]]);
  assert.deepEqual(summary, {
    avg: 0.7,
    min: 0,
    max: 4,
    std: Math.sqrt((0.7 ** 2 * 6 + 0.3 ** 2 * 3 + 3.3 ** 2 * 1) / 10),
    p50: 0,
    p90: 1,
    p95: 4,
    p99: 4,
  });
});

Deno.test("summarizeLevels of one level says that level", () => {
  const { std, ...others } = summaryOf([[0.1, 3], [0.1, 5], [0.1, 0.25]]);
  assert.deepEqual(new Set(Object.values(others)), new Set([0.1]));
  assert.ok(std < 1e-16);
});

Deno.test("summarizeLevels finds what sorting finds, whatever the order and however many are equal", () => {
  const level = fc.oneof(
    fc.integer({ min: 0, max: 4 }),
    fc.integer({ min: -1e6, max: 1e6 }),
  );
  // Whole durations have exact sums, so that no rounding decides which level a share falls on.
  const stretch = fc.tuple(level, fc.integer({ min: 1, max: 1000 }));
  fc.assert(fc.property(fc.array(stretch, { minLength: 1, maxLength: 300 }), (stretches) => {
    const found = summaryOf(stretches);
    for (const [name, value] of Object.entries(expected(stretches))) {
      const figure = found[name as keyof LevelSummary];
      const tolerance = name === "avg" || name === "std" ? 1e-9 * Math.max(1, Math.abs(value)) : 0;
      assert.ok(Math.abs(figure - value) <= tolerance, `${name}: ${figure}, not ${value}`);
    }
  }));
});
