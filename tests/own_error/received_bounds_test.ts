import assert from "node:assert/strict";
import { receivedBounds } from "../../src/own_error/received_bounds.ts";
import {
  BOUNDED_STATISTICS,
  type StatisticBounds,
} from "../../src/own_error/bounded_statistics.ts";

const BOUNDS = Object.fromEntries(
  BOUNDED_STATISTICS.map((name) => [name, { lower: 12, upper: 200 }]),
) as unknown as StatisticBounds;

Deno.test("receivedBounds lowers each statistic by what it would be at the first reads", () => {
  const values = Float64Array.of(10, 20, 30, 40, 50);
  const bounds = receivedBounds(BOUNDS, values, Float64Array.of(0, 0, 4, 40, 1));
  assert.equal(bounds.avg.lower, 12 - 45 / 5);
  // At the first reads they are 0, 10, 20, 26 and 49.
  assert.equal(bounds.p50.lower, 12 - (30 - 20));
  assert.ok(Math.abs(bounds.p90.lower - (12 - (46 - 39.8))) < 1e-9);
  const all = receivedBounds(BOUNDS, values, values);
  assert.equal(all.avg.lower, 0, "never below nothing");
  assert.ok(BOUNDED_STATISTICS.every((name) => bounds[name].upper === 200));
});

Deno.test("receivedBounds are those of canaries where each reply was read at once", () => {
  assert.equal(receivedBounds(BOUNDS, Float64Array.of(10, 20), Float64Array.of(0, 0)), BOUNDS);
});
