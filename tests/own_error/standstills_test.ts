import assert from "node:assert/strict";
import { CANARY_KIND } from "../../src/canary/canary_kind.ts";
import { CanaryLog } from "../../src/canary/canary_log.ts";
import { Standstills } from "../../src/own_error/standstills.ts";

const MS = 1e6;

/** Canaries that were read long after, by a thread that never stood still. */
function addCanaries(log: CanaryLog, count: number): void {
  for (let i = 0; i < count; i++) {
    const ns = (9000 + 10 * i) * MS;
    log.add(9, Float64Array.of(CANARY_KIND.poisson, ns, ns, ns));
  }
}

/** Two threads, of which the first one stood still a few times. */
function standstills(canaries = 60) {
  const log = new CanaryLog();
  addCanaries(log, canaries);
  for (const [from, to] of [[100, 300], [400, 440], [1000, 1100]] as const) {
    log.add(0, Float64Array.of(CANARY_KIND.stall, from * MS, NaN, to * MS));
  }
  log.add(1, Float64Array.of(CANARY_KIND.stall, 2000 * MS, NaN, 2010 * MS));
  const found = new Standstills(log);
  return {
    overlapMs: (worker: number, from: number, to: number) =>
      found.overlapNs(worker, from * MS, to * MS) / MS,
    mostMs: (worker: number, start: number, stamp: number) =>
      found.mostNs(worker, start * MS, stamp * MS) / MS,
  };
}

Deno.test("Standstills are the long ones alone, of each thread", () => {
  const { overlapMs } = standstills();
  assert.equal(overlapMs(0, 0, 5000), 300);
  assert.equal(overlapMs(0, 250, 1010), 60);
  assert.equal(overlapMs(0, 390, 450), 0);
  assert.equal(overlapMs(1, 0, 5000), 0);
  assert.equal(overlapMs(2, 0, 5000), 0);
});

Deno.test("Standstills of a run with few canaries are short ones, too", () => {
  const { mostMs, overlapMs } = standstills(59);
  assert.equal(overlapMs(0, 0, 5000), 340);
  assert.equal(overlapMs(1, 0, 5000), 10);
  // Both of them were over just before, and each may have begun 15 ms earlier.
  assert.equal(mostMs(0, 50, 449), 215 + 55);
});

Deno.test("Standstills have no canary that was read meanwhile", () => {
  const log = new CanaryLog();
  addCanaries(log, 60);
  log.add(0, Float64Array.of(CANARY_KIND.stall, 100 * MS, NaN, 400 * MS));
  for (const ms of [50, 180, 220, 250, 395, 420]) {
    log.add(0, Float64Array.of(CANARY_KIND.poisson, ms * MS, ms * MS, ms * MS));
    // Of another thread.
    log.add(1, Float64Array.of(CANARY_KIND.poisson, 0, 0, (ms + 70) * MS));
  }
  const found = new Standstills(log);
  const overlapMs = (from: number, to: number) => found.overlapNs(0, from * MS, to * MS) / MS;
  assert.equal(overlapMs(0, 500), 80 + 145);
  assert.equal(overlapMs(100, 180), 80);
  assert.equal(overlapMs(180, 250), 0, "but short ones");
});

Deno.test("a chunk lay unread for a standstill if its request was in flight, and it was read soon after", () => {
  const { mostMs } = standstills();
  // The thread may have stopped up to 15 ms before its timer was due.
  assert.equal(mostMs(0, 50, 301), 215);
  assert.equal(mostMs(0, 50, 449), 215);
  assert.equal(mostMs(0, 50, 451), 0, "read long after");
  assert.equal(mostMs(0, 90, 301), 210, "begun just before");
  assert.equal(mostMs(0, 250, 301), 50, "begun meanwhile");
  assert.equal(mostMs(0, 300, 301), 0, "begun after it");
  assert.equal(mostMs(0, 0, 84), 0, "read before it");
  assert.equal(mostMs(0, 0, 200), 115, "by a thread that had not stopped yet");
  assert.equal(mostMs(0, 900, 1101), 115);
  assert.equal(mostMs(1, 1990, 2011), 0, "too short");
});
