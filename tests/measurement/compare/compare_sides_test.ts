import assert from "node:assert/strict";
import { compareSides, tookTurns } from "../../../src/measurement/compare/compare_sides.ts";
import type { Difference } from "../../../src/measurement/compare/difference.ts";
import { type RunSample, SampleBuilder } from "../../../src/measurement/compare/run_sample.ts";
import { alarms, SIMULATED_PAIRS } from "../../../scripts/bench/cases/comparisons.ts";
import { independentLoad } from "../../../scripts/bench/observations/simulated_runs.ts";

const load = independentLoad(400, 8);

function named(differences: readonly Difference[], name: string): Difference {
  return differences.find(({ statistic }) => statistic.name === name) as Difference;
}

Deno.test("compareSides raises few alarms where there is no difference", () => {
  // The bench counts 200 comparisons of each kind.
  const shares = SIMULATED_PAIRS.map((pair) => alarms(pair, 1, 10).share);
  SIMULATED_PAIRS.forEach(({ name }, index) => {
    assert.ok(shares[index] as number <= 0.1, `${name}: ${shares[index]}`);
  });
  // One of 20 may be wrong of all kinds together.
  const all = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  assert.ok(all <= 0.05, `${all}`);
});

Deno.test("compareSides finds what is there, and says which way", () => {
  const rows = compareSides([load.run(1, 1)], [load.run(2, 1.1)]);
  assert.equal(named(rows, "ITL p50").verdict, "worse");
  assert.equal(named(rows, "latency p50").verdict, "worse");
  const { lower, upper, difference } = named(rows, "ITL p50");
  assert.ok(lower < 0.1 && upper > 0.1, `${lower} .. ${upper}`);
  assert.ok(lower < difference && difference < upper);
  const back = compareSides([load.run(2, 1.2)], [load.run(1, 1)]);
  assert.equal(named(back, "ITL p50").verdict, "better");
  assert.equal(named(back, "requests/s").verdict, "better");
});

Deno.test("compareSides gives the same intervals for the same runs", () => {
  const sides = () => compareSides([load.run(1, 1)], [load.run(2, 1)]);
  assert.deepEqual(sides(), sides());
});

Deno.test("compareSides calls no difference one that is smaller than asked for", () => {
  const [a, b] = [[load.run(1, 1)], [load.run(2, 1.1)]];
  const [strict, loose] = [0, 0.2].map((minDifference) => compareSides(a, b, { minDifference }));
  assert.equal(named(strict as Difference[], "ITL p50").verdict, "worse");
  assert.equal(named(loose as Difference[], "ITL p50").verdict, "not significant");
});

Deno.test("compareSides finds nothing significant in few requests, and says why", () => {
  const few = independentLoad(12, 4);
  for (const { verdict, remark } of compareSides([few.run(1, 1)], [few.run(2, 3)])) {
    assert.equal(verdict, "not significant");
    assert.match(remark ?? "", /12 requests are too few/);
  }
  const some = independentLoad(60, 4);
  const rows = compareSides([some.run(1, 1)], [some.run(2, 3)]);
  assert.equal(named(rows, "TTFT p99").remark, "60 requests are too few, it takes 100");
  assert.equal(named(rows, "TTFT p50").verdict, "worse");
});

/** A run in which some requests failed. */
function withFailures(seed: number, failures: number): RunSample {
  const run = load.run(seed, 1);
  const every = Math.floor(run.startSeconds.length / Math.max(1, failures));
  const fails = (row: number): boolean => failures > 0 && row % every === 0;
  return { ...run, endSeconds: run.endSeconds.map((end, row) => fails(row) ? NaN : end) };
}

Deno.test("compareSides tells error rates apart, but not one failure from none", () => {
  const rows = compareSides([withFailures(1, 0)], [withFailures(2, 40)]);
  const errors = named(rows, "error rate");
  assert.equal(errors.before, 0);
  assert.ok(Math.abs(errors.after - 10) < 0.1);
  assert.equal(errors.verdict, "worse");
  const one = compareSides([withFailures(1, 0)], [withFailures(2, 1)]);
  assert.equal(named(one, "error rate").verdict, "not significant");
});

Deno.test("compareSides leaves out what a side has not", () => {
  const builder = new SampleBuilder();
  for (let i = 0; i < 50; i++) {
    const value = (tag: string) => tag === "request_latency" ? 100 + i % 7 : NaN;
    builder.add({ startNs: i * 1e8, endNs: i * 1e8 + 1e8, value });
  }
  const whole = builder.build("whole", 0n);
  const names = compareSides([whole], [load.run(1, 1)]).map(({ statistic }) => statistic.name);
  assert.ok(names.includes("latency p50"));
  assert.ok(!names.includes("TTFT p50"));
});

Deno.test("runs that differ among themselves widen the intervals", () => {
  const side = (slownesses: readonly number[], seed: number) =>
    slownesses.map((slowness, i) => ({
      ...load.run(seed + i, slowness),
      startEpochNs: BigInt(seed + i),
    }));
  const width = (rows: readonly Difference[]) => {
    const { lower, upper } = named(rows, "ITL p50");
    return upper - lower;
  };
  const alike = compareSides(side([1, 1, 1], 10), side([1, 1, 1], 20));
  const apart = compareSides(side([0.9, 1, 1.1], 10), side([0.9, 1, 1.1], 20));
  assert.ok(width(apart) > 4 * width(alike), `${width(apart)} and ${width(alike)}`);
});

Deno.test("three runs a side are compared by their variance between runs", () => {
  const slownesses = [[0.97, 1, 1.03], [1.02, 1.06, 1.1]] as const;
  const [before, after] = slownesses.map((some, side) =>
    some.map((slowness, i) => ({
      ...load.run(10 * side + i, slowness),
      startEpochNs: BigInt(10 * side + i),
    }))
  ) as [RunSample[], RunSample[]];
  const rows = compareSides(before, after);
  const median = (run: RunSample, tag: string): number =>
    [...run.columns.get(tag) as Float64Array].sort((a, b) => a - b)
      .slice(199, 201).reduce((sum, value) => sum + value / 2, 0);
  // Half an interval is a factor, which all statistics share, times the error of a t test.
  const factors = [["ITL p50", "inter_token_latency"], ["TTFT p50", "time_to_first_token"]].map(
    ([name = "", tag = ""]) => {
      const squares = [before, after].map((side) => {
        const logs = side.map((run) => Math.log(median(run, tag)));
        const mean = logs.reduce((sum, log) => sum + log / 3, 0);
        return logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
      });
      const error = Math.sqrt(((squares[0] as number) + (squares[1] as number)) / 4 * (2 / 3));
      const { lower, upper } = named(rows, name);
      return (Math.log1p(upper) - Math.log1p(lower)) / 2 / error;
    },
  ) as [number, number];
  assert.ok(Math.abs(factors[0] / factors[1] - 1) < 1e-6, `${factors}`);
  // Student's 97.5 % quantile of four degrees of freedom, at least.
  assert.ok(factors[0] > 2.776, `${factors}`);
});

Deno.test("tookTurns knows runs that alternate", () => {
  const at = (...times: number[]) =>
    times.map((time) => ({ ...load.run(1, 1), startEpochNs: BigInt(time) }));
  assert.equal(tookTurns(at(1, 4, 5), at(2, 3, 6)), true);
  assert.equal(tookTurns(at(1, 2, 3), at(4, 5, 6)), false);
  assert.equal(tookTurns(at(1, 3), at(2, 4, 6)), false);
  assert.equal(tookTurns(at(1), at(2)), false);
});
