import assert from "node:assert/strict";
import { valueOf } from "../../../src/measurement/metrics/metric_results.ts";
import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import type { MetricTag } from "../../../src/measurement/metrics/metric_tag.ts";
import type { RecordMetricTag } from "../../../src/measurement/metrics/record_metrics.ts";
import { goodputBounds } from "../../../src/measurement/own_error/goodput_bounds.ts";
import {
  judged,
  type MeasurementError,
} from "../../../src/measurement/own_error/measurement_error.ts";
import { recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

const MS = 1e6;

/** Ten requests whose first tokens come after 10, 20 ... 100 ms; good are those within a limit. */
function measured(
  objectives: readonly (readonly [tag: RecordMetricTag, threshold: number])[],
  shifts: Readonly<Record<string, readonly [down: number, up: number]>>,
  /** How many times as great as it was measured the throughput may be. */
  rateRatio?: number,
) {
  const table = recordTable({ goodput: true }, Object.fromEntries(objectives));
  for (let at = 1; at <= 10; at++) {
    const startNs = at * 1000 * MS;
    const chunkNs = Float64Array.of(startNs + at * 10 * MS, startNs + (at * 10 + 40) * MS);
    table.add(
      recordWith({ startNs, chunkNs, endNs: chunkNs[1] as number, worker: 0, outputTokens: 5 }),
      new Float64Array(table.metrics.length),
    );
  }
  const results = computeResults(table, 0n);
  const metrics: MeasurementError["metrics"] = new Map(
    Object.entries(shifts).map(([tag, [down, up]]) => [
      tag as MetricTag,
      { p50: judged(55, { lower: 55 - down, upper: 55 + up }) },
    ]),
  );
  const rate = valueOf(results, "request_throughput") as number;
  const bounds = { lower: rate, upper: rate * (rateRatio ?? NaN) };
  const all = rateRatio === undefined
    ? metrics
    : new Map([...metrics, ["request_throughput" as const, { avg: judged(rate, bounds) }]]);
  const errors = new Map(goodputBounds({ table, results, metrics: all }));
  return { results, errors };
}

Deno.test("goodputBounds counts those that are good in any case, and those that may be", () => {
  const { results, errors } = measured([["time_to_first_token", 50]], {
    "time_to_first_token": [21, 11],
    "request_throughput": [0, 0],
  });
  assert.equal(valueOf(results, "good_request_count"), 5);
  const count = errors.get("good_request_count")?.avg;
  assert.deepEqual([count?.lower, count?.upper, count?.verdict], [3, 7, "invalid"]);
  const share = errors.get("good_request_fraction")?.avg;
  assert.deepEqual([share?.lower, share?.upper], [0.3, 0.7]);
  const goodput = errors.get("goodput")?.avg;
  const seconds = valueOf(results, "benchmark_duration") as number;
  assert.equal(goodput?.lower, 3 / seconds);
  assert.ok((goodput?.upper ?? 0) >= 7 / seconds);
});

Deno.test("goodputBounds has room in goodput for a last response that was late", () => {
  const { results, errors } = measured([["time_to_first_token", 50]], {
    "time_to_first_token": [21, 11],
  }, 1.25);
  const seconds = valueOf(results, "benchmark_duration") as number;
  const goodput = errors.get("goodput")?.avg;
  assert.ok(Math.abs((goodput?.upper ?? 0) - 1.25 * 7 / seconds) < 1e-9, `${goodput?.upper}`);
  assert.equal(goodput?.lower, 3 / seconds);
});

Deno.test("goodputBounds of objectives that nothing shifts are the counts themselves", () => {
  const { errors } = measured([["output_sequence_length", 5]], {});
  assert.deepEqual(errors.get("good_request_count")?.avg, {
    ...{ lower: 10, upper: 10, verdict: "valid" },
  });
});

Deno.test("goodputBounds knows nothing where a metric has no bounds, and needs every objective", () => {
  const { errors } = measured([["request_latency", 100], ["time_to_first_token", 50]], {
    "time_to_first_token": [0, 0],
  });
  const count = errors.get("good_request_count")?.avg;
  // First tokens decide for five of them, whatever the latencies were.
  assert.deepEqual([count?.lower, count?.upper], [0, 5]);
  assert.deepEqual(measured([], {}).errors, new Map());
});

Deno.test("goodputBounds of a slice are about its own requests, and divided by its own time", () => {
  const table = recordTable({ goodput: true }, { "time_to_first_token": 5 });
  for (let at = 1; at <= 10; at++) {
    const startNs = at * 1000 * MS;
    table.add(
      recordWith({ startNs, chunkNs: Float64Array.of(startNs + 10 * MS), worker: 0 }),
      new Float64Array(table.metrics.length),
    );
  }
  const rows = [0, 1, 2, 3];
  const results = computeResults(table, 0n, { rows, windowSeconds: 8 });
  const errorsWith = (down: number) =>
    new Map(goodputBounds({
      ...{ table, results, rows },
      metrics: new Map([
        ["time_to_first_token", { p50: judged(10, { lower: 10 - down, upper: 10 }) }],
        ["request_throughput", { avg: judged(0.5, { lower: 0.5, upper: 0.5 }) }],
      ]),
    }));
  // None was good, and all four may have been.
  const errors = errorsWith(6);
  const share = errors.get("good_request_fraction")?.avg;
  assert.deepEqual([share?.lower, share?.upper], [0, 1]);
  const goodput = errors.get("goodput")?.avg;
  assert.deepEqual([goodput?.lower, goodput?.upper], [0, 0.5]);
  assert.deepEqual(errorsWith(1).get("goodput")?.avg, { lower: 0, upper: 0, verdict: "valid" });
});
