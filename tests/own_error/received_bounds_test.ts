import assert from "node:assert/strict";
import { receivedBounds } from "../../src/own_error/received_bounds.ts";
import {
  BOUNDED_STATISTICS,
  type StatisticBounds,
} from "../../src/own_error/bounded_statistics.ts";
import { UNBOUNDED } from "../../src/statistics/unbounded.ts";

const BOUNDS = Object.fromEntries(
  BOUNDED_STATISTICS.map((name) => [name, { lower: 12, upper: 200 }]),
) as unknown as StatisticBounds;
const values = Float64Array.of(10, 20, 30, 40, 50);

Deno.test("receivedBounds lowers each statistic by what it would be at the first reads", () => {
  const least = Float64Array.of(10, 20, 26, 0, 49);
  const bounds = receivedBounds(BOUNDS, { values, least, most: undefined });
  assert.equal(bounds.avg.lower, 12 - 45 / 5);
  // In ascending order 0, 10, 20, 26 and 49.
  assert.equal(bounds.p50.lower, 12 - (30 - 20));
  assert.ok(Math.abs(bounds.p90.lower - (12 - (46 - 39.8))) < 1e-9);
  const none = { values, least: new Float64Array(5), most: undefined };
  assert.equal(receivedBounds(BOUNDS, none).avg.lower, 0, "never below nothing");
  assert.ok(BOUNDED_STATISTICS.every((name) => bounds[name].upper === 200));
});

Deno.test("receivedBounds raises each statistic by what it would be if it had begun at the first reads", () => {
  const most = Float64Array.of(10, 60, 30, 40, 55);
  const bounds = receivedBounds(BOUNDS, { values, least: undefined, most });
  assert.equal(bounds.avg.upper, 200 + 45 / 5);
  // In ascending order 10, 30, 40, 55 and 60.
  assert.equal(bounds.p50.upper, 200 + 10);
  assert.ok(BOUNDED_STATISTICS.every((name) => bounds[name].lower === 12));
  const unbounded = { ...BOUNDS, p50: { lower: 1, upper: UNBOUNDED } };
  assert.equal(receivedBounds(unbounded, { values, least: most, most }).p50.upper, UNBOUNDED);
});

Deno.test("receivedBounds are those of canaries where each reply was read at once", () => {
  assert.equal(receivedBounds(BOUNDS, { values, least: undefined, most: undefined }), BOUNDS);
});
