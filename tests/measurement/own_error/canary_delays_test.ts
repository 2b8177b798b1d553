import assert from "node:assert/strict";
import { CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { CanaryLog } from "../../../src/measurement/canary/canary_log.ts";
import { canaryDelays, longestWithin } from "../../../src/measurement/own_error/canary_delays.ts";

const MS = 1e6;

function logOf(rows: readonly (readonly [worker: number, ...row: number[]])[]): CanaryLog {
  const log = new CanaryLog();
  for (const [worker, kind, intended, written, read] of rows) {
    log.add(
      worker,
      Float64Array.of(
        kind as number,
        ...[intended, written, read].map((ms) => (ms as number) * MS),
      ),
    );
  }
  return log;
}

Deno.test("canaryDelays are the times from writing to reading, by worker in the order of reading", () => {
  const { first, poisson } = CANARY_KIND;
  const log = logOf([
    [0, poisson, 10, 10, 15],
    [1, poisson, 1, 1, 2],
    [0, first, 3, 4, 4.5],
    [0, poisson, 1, 1, 3],
  ]);
  const both = canaryDelays(log, ["poisson", "first"]);
  assert.deepEqual([...both.keys()], [0, 1]);
  assert.deepEqual(both.get(0), {
    readNs: Float64Array.of(3 * MS, 4.5 * MS, 15 * MS),
    delayNs: Float64Array.of(2 * MS, 0.5 * MS, 5 * MS),
  });
  assert.equal(canaryDelays(log, ["last"]).size, 0);
});

Deno.test("a canary that could not be written counts from when it was intended, while its worker stood still", () => {
  const { poisson, stall } = CANARY_KIND;
  const log = logOf([
    // The worker stood still from 100 to 300 ms, and from 400 to 410 ms.
    [0, stall, 100, NaN, 300],
    [0, stall, 400, NaN, 410],
    // Due before it, in it, and after it; written once the machine went on.
    [0, poisson, 90, 305, 306],
    [0, poisson, 250, 305, 306.5],
    [0, poisson, 350, 350, 351],
    // The canary thread alone was late.
    [0, poisson, 310, 390, 391],
    // Across two stalls.
    [0, poisson, 290, 405, 420],
    // Another worker went on all the time.
    [1, poisson, 90, 305, 306],
  ]);
  const delays = (worker: number) =>
    [...canaryDelays(log, ["poisson"]).get(worker)?.delayNs ?? []].map((ns) => ns / MS);
  assert.deepEqual(delays(0), [201, 51.5, 1, 1, 15 + 10 + 5]);
  assert.deepEqual(delays(1), [1]);
});

Deno.test("canaries count from when they were intended, less what they usually wait, if that is wanted", () => {
  const { last, stall } = CANARY_KIND;
  const log = logOf([
    // Usually written 0.2 ms after they were intended.
    ...[100, 200, 300, 400, 500].map((ms) => [0, last, ms, ms + 0.2, ms + 0.3] as const),
    // The thread that writes them waited for a core.
    [0, last, 550, 552.2, 552.5],
    // It stood still with the worker, which counts in any case.
    [0, stall, 600, NaN, 700],
    [0, last, 610, 700.2, 700.4],
  ]);
  const delays = (fromIntended: boolean) =>
    [...canaryDelays(log, ["last"], { fromIntended }).get(0)?.delayNs ?? []]
      .map((ns) => Math.round(ns / 1e4) / 100);
  assert.deepEqual(delays(true), [0.1, 0.1, 0.1, 0.1, 0.1, 2.3, 90.2]);
  assert.deepEqual(delays(false), [0.1, 0.1, 0.1, 0.1, 0.1, 0.3, 90.2]);
});

Deno.test("longestWithin is of the canaries that were read in a stretch of time", () => {
  const delays = {
    readNs: Float64Array.of(1, 5, 9, 20),
    delayNs: Float64Array.of(7, 2, 3, 8),
  };
  assert.equal(longestWithin(delays, 5, 9), 3);
  assert.equal(longestWithin(delays, 1, 20), 8);
  assert.equal(longestWithin(delays, 10, 19), 0);
});
