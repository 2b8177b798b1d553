import { NO_SERVERS } from "../../../src/report/live/live_model.ts";
import assert from "node:assert/strict";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { LiveStatistics } from "../../../src/report/live/live_statistics.ts";
import { RecentBuckets } from "../../../src/report/live/recent_buckets.ts";
import { recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

function statistics() {
  const table = recordTable(
    { goodput: true, httpTrace: true, usageDiff: true },
    { "time_to_first_token": 90 },
  );
  const live = new LiveStatistics("profiling", table, 2);
  const values = new Float64Array(table.metrics.length);
  return {
    live,
    add(fields: Parameters<typeof recordWith>[0], atSeconds: number, error?: string) {
      const record = recordWith(fields);
      table.add(record, values);
      live.add(record, values, error, atSeconds);
    },
  };
}

Deno.test("LiveStatistics counts the phase and its last seconds", () => {
  const { live, add } = statistics();
  for (let number = 0; number < 10; number++) add({}, number / 10);
  const slow = Float64Array.of(1.5e9, 1.6e9, 1.7e9);
  add({ chunkNs: slow }, 20);
  add({ error: "timeout" }, 20, "No complete reply");
  add({ error: "cancelled" }, 20, "The run was interrupted");
  const { ttft, latency, valid, good, objectives, errors, errorKinds } = live.at(21, NO_SERVERS);
  assert.deepEqual([valid, good, ttft.count, latency.count], [11, 10, 11, 11]);
  assert.ok(Math.abs(ttft.p50Ms - 80) < 1, `${ttft.p50Ms}`);
  assert.ok(Math.abs(ttft.recentP50Ms - 500) < 5, `${ttft.recentP50Ms}`);
  const { bounds, counts, sum } = ttft.histogram;
  assert.equal(counts[bounds.indexOf(0.08)], 10, "a bound belongs to its bucket");
  assert.equal(counts[bounds.indexOf(0.5)], 1);
  assert.equal(counts.length, bounds.length + 1);
  assert.ok(Math.abs(sum - 1.3) < 1e-9);
  assert.deepEqual(objectives, [
    { tag: "time_to_first_token", threshold: 90, unit: "ms", metShare: 10 / 11 },
  ]);
  assert.deepEqual(errorKinds, { "timeout": 1 });
  assert.deepEqual(errors, [
    { kind: "timeout", status: null, message: "No complete reply", count: 1 },
  ]);
  assert.ok(
    Number.isNaN(live.at(30, NO_SERVERS).ttft.recentP50Ms),
    "what is long ago is not recent",
  );
});

Deno.test("LiveStatistics tells how long canaries lay unread, and of stalls", () => {
  const { live } = statistics();
  const { poisson, stall } = CANARY_KIND;
  live.addCanaries(1, Float64Array.of(poisson, 0, 1e6, 3e6, stall, 5e6, 5e6, 9e6));
  const { canaries, workerDelaysMs } = live.at(0, NO_SERVERS);
  assert.deepEqual([canaries.count, canaries.maxMs, canaries.stallSeconds], [1, 2, 0.004]);
  assert.ok(Number.isNaN(workerDelaysMs[0]));
  assert.ok(Math.abs((workerDelaysMs[1] as number) - 2) < 0.03);
});

Deno.test("RecentBuckets forget a second after five", () => {
  const recent = new RecentBuckets();
  recent.add(1, 0.5);
  recent.add(100, 3);
  assert.deepEqual([4.9, 5, 7.9, 8].map((at) => recent.at(at).count), [2, 1, 1, 0]);
  recent.add(7, 1000);
  assert.equal(recent.at(1000.5).max, 7);
});
