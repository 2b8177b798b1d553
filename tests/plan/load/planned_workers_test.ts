import assert from "node:assert/strict";
import type { Calibration } from "../../../src/calibration/calibration.ts";
import type { Limit } from "../../../src/calibration/limits.ts";
import { MAX_WORKERS } from "../../../src/options/max_workers.ts";
import { resolvePlan } from "../../../src/plan/resolve/resolve_plan.ts";

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
