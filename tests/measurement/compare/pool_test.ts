import assert from "node:assert/strict";
import fc from "fast-check";
import { dependence, effectiveBlocks } from "../../../src/core/statistics/dependence.ts";
import { percentile } from "../../../src/core/statistics/percentile.ts";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";
import { studentFactor } from "../../../src/core/statistics/student_factor.ts";
import { blockedRun, MAX_BLOCKS } from "../../../src/measurement/compare/blocked_run.ts";
import { COMPARED_STATISTICS } from "../../../src/measurement/compare/compared_statistics.ts";
import { Pool } from "../../../src/measurement/compare/pool.ts";
import { SampleBuilder } from "../../../src/measurement/compare/run_sample.ts";

/** A run of requests one after another with these latencies in milliseconds. */
function runOf(latencies: readonly number[]) {
  const builder = new SampleBuilder();
  let nowNs = 0;
  for (const latency of latencies) {
    const value = (tag: string) => tag === "request_latency" ? latency : 1;
    builder.add({ startNs: nowNs, endNs: nowNs + latency * 1e6, value });
    nowNs += latency * 1e6;
  }
  return blockedRun(builder.build("run", 0n));
}

Deno.test("Pool computes percentiles of blocks as if each were there as often as its weight", () => {
  const latencies = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(latencies, fc.infiniteStream(fc.integer({ min: 0, max: 3 })), (all, random) => {
      const run = runOf(all);
      const pool = new Pool([run], COMPARED_STATISTICS);
      const weights = Uint16Array.from({ length: pool.blocks }, () => random.next().value);
      const drawn = all.flatMap((latency, row) =>
        Array.from({ length: weights[run.blockOf[row] as number] as number }, () => latency)
      );
      const sorted = Float64Array.from(drawn).sort();
      const values = pool.compute(weights);
      COMPARED_STATISTICS.forEach((statistic, i) => {
        if (statistic.kind !== "quantile" || statistic.tag !== "request_latency") return;
        const expected = percentile(sorted, statistic.quantile * 100);
        const value = values[i] as number;
        assert.ok(
          Number.isNaN(expected) ? Number.isNaN(value) : Math.abs(value - expected) < 1e-9,
          `${statistic.name}: ${value}, not ${expected}`,
        );
      });
    }),
  );
});

Deno.test("Pool divides what succeeded by the time of the blocks", () => {
  const pool = new Pool([runOf(Array.from({ length: 100 }, () => 20))], COMPARED_STATISTICS);
  const values = pool.compute(new Uint16Array(pool.blocks).fill(1));
  const rate = COMPARED_STATISTICS.findIndex(({ name }) => name === "requests/s");
  assert.ok(Math.abs((values[rate] as number) - 50) < 1e-9);
});

Deno.test("Pool has no rates of requests of which nobody knows when they began", () => {
  const builder = new SampleBuilder();
  for (let i = 1; i <= 100; i++) builder.add({ startNs: 0, endNs: i * 1e6, value: () => i });
  const pool = new Pool([blockedRun(builder.build("run", 0n))], COMPARED_STATISTICS);
  const values = pool.compute(new Uint16Array(pool.blocks).fill(1));
  COMPARED_STATISTICS.forEach(({ name, kind }, i) => {
    assert.equal(Number.isNaN(values[i]), kind === "rate" || kind === "cost", name);
  });
});

Deno.test("blockedRun has no more blocks than requests, and not many", () => {
  for (const [requests, blocks] of [[0, 0], [1, 1], [5, 5], [20, 10], [10_000, MAX_BLOCKS]]) {
    const run = runOf(Array.from({ length: requests as number }, () => 10));
    assert.equal(run.blocks, blocks);
  }
});

Deno.test("dependence is one of independent values, and large of those that last", () => {
  const random = randomStream(1, "values");
  const free = Float64Array.from({ length: 2000 }, () => random() - 0.5);
  assert.ok(Math.abs(dependence([free]) - 1) < 0.2);
  let level = 0;
  const lasting = free.map((value) => level = 0.8 * level + value);
  // (1 + 0.8) / (1 - 0.8) = 9
  assert.ok(dependence([lasting]) > 6 && dependence([lasting]) < 13);
  assert.equal(dependence([new Float64Array(10)]), 1);
  assert.equal(dependence([]), 1);
});

Deno.test("effectiveBlocks counts equal blocks", () => {
  assert.equal(effectiveBlocks([2, 2, 2, 0]), 3);
  assert.equal(effectiveBlocks([5, 0, 0]), 1);
  assert.equal(effectiveBlocks([]), 0);
});

Deno.test("studentFactor is near Student's quantiles", () => {
  // Two-sided 95 %: of R's qt(0.975, df).
  for (const [freedom, quantile] of [[4, 2.776], [6, 2.447], [10, 2.228], [30, 2.042]] as const) {
    assert.ok(Math.abs(studentFactor(1.95996, freedom) / quantile - 1) < 0.01, `${freedom}`);
  }
  // Exact ones, and between them.
  for (const [freedom, quantile] of [[1, 12.706], [2, 4.3027], [3, 3.1824]] as const) {
    assert.ok(Math.abs(studentFactor(1.95996, freedom) / quantile - 1) < 0.03, `${freedom}`);
  }
  // As far out as 99.3 % between: qt(0.9965, 1) and qt(0.9965, 2).
  assert.ok(Math.abs(studentFactor(2.6968, 1) / 90.94 - 1) < 0.01);
  assert.ok(Math.abs(studentFactor(2.6968, 2) / 11.89 - 1) < 0.01);
  assert.equal(studentFactor(1.96, Infinity), 1.96);
});
