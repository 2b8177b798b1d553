import assert from "node:assert/strict";
import { arrivals } from "../../../src/load/workload/arrivals.ts";
import type { ArrivalPattern, LoadPlan } from "../../../src/config/plan/run_plan.ts";
import { summarize } from "../../../src/core/statistics/summarize.ts";

type Open = Extract<LoadPlan, { loop: "open" }>;

function open(arrivalPattern: ArrivalPattern, ratePerSecond: number, smoothness = 1): Open {
  return { loop: "open", arrivalPattern, ratePerSecond, smoothness, concurrency: Infinity };
}

function offsets(load: Open, count: number, seed = 1, phase = "profiling"): number[] {
  return [...arrivals(load, seed, phase).take(count)];
}

function intervals(load: Open, count: number): Float64Array {
  const times = offsets(load, count);
  return Float64Array.from(times, (time, index) => time - (times[index - 1] ?? 0));
}

Deno.test("constant arrivals keep their grid without drift", () => {
  const times = offsets(open("constant", 3), 3_000_000);
  assert.equal(times[0], Math.round(1e9 / 3));
  assert.equal(times[2_999_999], 1_000_000e9);
});

Deno.test("poisson arrivals have the rate's mean and the deviation of an exponential", () => {
  const { avg, std, min } = summarize(intervals(open("poisson", 200), 50_000));
  assert.ok(Math.abs(avg / 5e6 - 1) < 0.02, `mean ${avg}`);
  assert.ok(Math.abs(std / avg - 1) < 0.02, `variation ${std / avg}`);
  assert.ok(min >= 0);
});

Deno.test("gamma arrivals are as smooth as asked for, at the same rate", () => {
  for (const smoothness of [0.25, 1, 4, 100]) {
    const { avg, std } = summarize(intervals(open("gamma", 200, smoothness), 50_000));
    assert.ok(Math.abs(avg / 5e6 - 1) < 0.05, `mean ${avg} at ${smoothness}`);
    assert.ok(Math.abs(std / avg * Math.sqrt(smoothness) - 1) < 0.05, `variation at ${smoothness}`);
  }
});

Deno.test("arrivals depend on seed and phase alone", () => {
  const load = open("poisson", 100);
  assert.deepEqual(offsets(load, 100), offsets(load, 100));
  assert.notDeepEqual(offsets(load, 100), offsets(load, 100, 2));
  assert.notDeepEqual(offsets(load, 100), offsets(load, 100, 1, "warmup"));
});
