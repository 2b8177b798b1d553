import assert from "node:assert/strict";
import fc from "fast-check";
import { CountLevels } from "../../../src/core/statistics/count_levels.ts";
import { LevelPool } from "../../../src/core/statistics/level_pool.ts";
import { type LevelSummary, summarizeLevels } from "../../../src/core/statistics/level_summary.ts";

type Stretch = readonly [level: number, duration: number];

function expected(stretches: readonly Stretch[]): LevelSummary {
  return summarizeLevels(
    Float64Array.from(stretches, ([level]) => level),
    Float64Array.from(stretches, ([, duration]) => duration),
  );
}

function assertClose(found: LevelSummary, wanted: LevelSummary): void {
  for (const [name, value] of Object.entries(wanted)) {
    const is = found[name as keyof LevelSummary];
    if (name === "avg" || name === "std") {
      assert.ok(
        Math.abs(is - value) <= 1e-9 * Math.max(1, Math.abs(value)),
        `${name}: ${is} ${value}`,
      );
    } else assert.equal(is, value, name);
  }
}

const durations = fc.integer({ min: 1, max: 1_000_000_000 });

Deno.test("LevelPool finds what keeping all levels finds, with time at zero and without", () => {
  const level = fc.oneof(
    fc.integer({ min: 0, max: 4 }),
    fc.double({ min: 0, max: 1e9, noNaN: true }),
    // Levels that only their last digits tell apart.
    fc.integer({ min: 0, max: 50 }).map((step) => 1234.5 + step * 2 ** -40),
  ).map((level) => level + 0);
  fc.assert(fc.property(
    fc.array(fc.tuple(level, durations), { minLength: 1, maxLength: 60 }),
    fc.oneof(fc.constant(0), durations),
    fc.boolean(),
    (stretches, zeroTime, mayGather) => {
      const pool = mayGather ? new LevelPool() : new LevelPool(0);
      // Those of which something else says that they are none are left out.
      const given = [...stretches, [77, 5] as const];
      const levels = Float64Array.from(given, ([level]) => level);
      const times = Float64Array.from(given, ([, duration]) => duration);
      const during = times.map((_, at) => at < stretches.length ? 1 : 0);
      pool.add(levels, times, given.length, during);
      pool.beginSecond(stretches.reduce((sum, [, time]) => sum + time, zeroTime));
      pool.addSecond(levels, times, given.length, during);
      pool.beginThird();
      assert.equal(pool.needsThird, !mayGather);
      if (pool.needsThird) pool.addThird(levels, times, given.length, during);
      assertClose(pool.summarize(), expected(stretches));
      const all = zeroTime === 0 ? stretches : [...stretches, [0, zeroTime] as const];
      assertClose(pool.summarizeWithZero(), expected(all));
    },
  ));
});

Deno.test("LevelPool's average and deviation lose nothing to what is large beside it", () => {
  // 1e16 + 1 is 1e16 where sums are not compensated; 1e16 + 2000 has its own number.
  const levels = Float64Array.of(1e16, ...Array<number>(2000).fill(1));
  const times = levels.map(() => 1);
  const pool = new LevelPool();
  pool.add(levels, times, levels.length);
  pool.beginSecond(levels.length);
  pool.addSecond(levels, times, levels.length);
  pool.beginThird();
  const { avg, std } = pool.summarize();
  assert.equal(avg, (1e16 + 2000) / 2001);
  assert.ok(Math.abs(std / (1e16 * Math.sqrt(2000) / 2001) - 1) < 1e-12);
  // Times, too.
  const long = new LevelPool();
  long.add(times, levels, levels.length);
  long.add(Float64Array.of(0), Float64Array.of(1e16 + 2000), 1);
  long.beginSecond(2 * (1e16 + 2000));
  for (const [at, during] of [[times, levels], [[0], [1e16 + 2000]]] as const) {
    long.addSecond(Float64Array.from(at), Float64Array.from(during), at.length);
  }
  long.beginThird();
  assert.equal(long.summarize().avg, 0.5);
});

Deno.test("CountLevels finds what keeping all levels finds", () => {
  assert.equal(new CountLevels().summarize(), undefined);
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.nat(5000), durations), { minLength: 1, maxLength: 60 }),
    (stretches) => {
      const levels = new CountLevels();
      levels.addAll(
        Float64Array.from(stretches, ([level]) => level),
        Float64Array.from(stretches, ([, duration]) => duration),
        stretches.length,
      );
      assertClose(levels.summarize() as LevelSummary, expected(stretches));
    },
  ));
});
