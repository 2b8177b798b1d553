import assert from "node:assert/strict";
import { MAX_WORKERS } from "../../../../src/config/options/max_workers.ts";
import { resolvePlan } from "../../../../src/config/plan/resolve/resolve_plan.ts";
import type { Calibration } from "../../../../src/measurement/calibration/calibration.ts";
import type { Limit } from "../../../../src/measurement/calibration/limits.ts";

const MACHINE = { hostname: "bench", os: "linux", arch: "x86_64", cores: 2 };

function limit(workers: number, streams: number): Limit {
  return {
    ...{ workers, metric: "ttft", share: 0.05, streams, isOpen: false },
    ...{ eventsPerSecond: streams * 100, requestsPerSecond: streams * 4 },
  };
}

Deno.test("a calibration makes no more load workers than a run can have", async () => {
  const calibration: Calibration = {
    ...{ machine: MACHINE, version: "1.2.3", date: "2026-11-22T04:00:00.000Z" },
    limits: [limit(1, 8), limit(1000, 9000)],
  };
  const { workers } = await resolvePlan(
    { url: ["127.0.0.1:1"], model: "m", streaming: true, concurrency: 2000 },
    { cores: 2, calibration, cliCommand: "test", findModel: () => Promise.resolve("m") },
  );
  assert.equal(workers, MAX_WORKERS);
});

Deno.test("as many load workers are planned as streams, or arrivals, keep busy", async () => {
  const workersOf = async (cores: number, load: object): Promise<number> => {
    const { workers } = await resolvePlan(
      { url: ["127.0.0.1:1"], model: "m", streaming: true, requestCount: 10_000, ...load },
      { cores, cliCommand: "test", findModel: () => Promise.resolve("m") },
    );
    return workers;
  };
  assert.equal(await workersOf(2, { concurrency: 120 }), 1);
  assert.equal(await workersOf(2, { concurrency: 121 }), 2);
  assert.equal(await workersOf(8, { concurrency: 33 }), 3);
  assert.equal(await workersOf(8, { concurrency: 10_000 }), 8);
  // More than cores, as long as that leaves each few enough.
  assert.equal(await workersOf(2, { concurrency: 240 }), 2);
  assert.equal(await workersOf(2, { concurrency: 241 }), 3);
  assert.equal(await workersOf(2, { concurrency: 360 }), 3);
  assert.equal(await workersOf(2, { concurrency: 361 }), 4);
  assert.equal(await workersOf(2, { concurrency: 600 }), 4);
  assert.equal(await workersOf(2, { concurrency: 601 }), 2);
  assert.equal(await workersOf(3, { concurrency: 500 }), 4);
  assert.equal(await workersOf(1, { concurrency: 400 }), 1);
  assert.equal(await workersOf(2, { requestRate: 500 }), 1);
  assert.equal(await workersOf(2, { requestRate: 501 }), 2);
  assert.equal(await workersOf(1, { requestRate: 5000 }), 1);
  // Its cap alone would ask for one.
  assert.equal(await workersOf(8, { requestRate: 501, concurrency: 16 }), 2);
});
