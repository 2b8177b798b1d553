import assert from "node:assert/strict";
import { busyWaitsMs } from "../../src/own_error/busy_waits.ts";

const MS = 1e6;

/** Waits of chunks, each the thread that read it and when, in milliseconds. */
function waitsOf(
  chunks: readonly (readonly [worker: number, stampMs: number])[],
  { usualMs = 0.1, wakeMs = 0, atMostMs }: {
    readonly usualMs?: number;
    readonly wakeMs?: number;
    readonly atMostMs?: readonly number[];
  } = {},
): number[] {
  const stamps = new Map<number, Float64Array>();
  for (const [worker] of chunks) {
    const own = chunks.filter(([other]) => other === worker).map(([, stampMs]) => stampMs * MS);
    stamps.set(worker, Float64Array.from(own).sort());
  }
  const read = {
    workers: Float64Array.from(chunks, ([worker]) => worker),
    stampNs: Float64Array.from(chunks, ([, stampMs]) => stampMs * MS),
    atMostNs: atMostMs && Float64Array.from(atMostMs, (ms) => ms * MS),
  };
  const usual = { meanNs: usualMs * MS, wakeNs: wakeMs * MS };
  return [...busyWaitsMs(read, stamps, usual)].map((ms) => Math.round(ms * 1e6) / 1e6);
}

Deno.test("busyWaitsMs are of the time since a thread's read before, and what is usual", () => {
  // The first end takes 0.6 ms, the two others are read after it, and together.
  assert.deepEqual(waitsOf([[0, 100], [0, 100.6], [0, 100.6], [0, 100.8]]), [0.1, 0.7, 0.7, 0.3]);
  assert.deepEqual(waitsOf([[0, 100.8], [0, 100.6], [0, 100]]), [0.3, 0.7, 0.1], "in any order");
});

Deno.test("busyWaitsMs are the usual ones where the thread had waited, or another was busy", () => {
  assert.deepEqual(waitsOf([[0, 100], [0, 101.6]]), [0.1, 0.1]);
  assert.deepEqual(waitsOf([[0, 100], [0, 101.4]]), [0.1, 1.5]);
  assert.deepEqual(waitsOf([[0, 100], [1, 100.6]]), [0.1, 0.1]);
});

Deno.test("busyWaitsMs take no more than a short delay for usual", () => {
  assert.deepEqual(waitsOf([[0, 100], [0, 100.6]], { usualMs: 12 }), [0.3, 0.9]);
});

Deno.test("busyWaitsMs are no shorter than what threads take to wake, which adds nothing to a longer delay", () => {
  assert.deepEqual(waitsOf([[0, 100], [0, 100.6]], { wakeMs: 0.7 }), [0.7, 1.3]);
  assert.deepEqual(waitsOf([[0, 100], [0, 100.6]], { wakeMs: 0.05 }), [0.1, 0.7]);
});

Deno.test("busyWaitsMs are no longer than chunks can have lain unread", () => {
  const atMostMs = [0.05, 0.3, Infinity];
  assert.deepEqual(waitsOf([[0, 100], [0, 100.6], [0, 101.2]], { atMostMs }), [0.05, 0.3, 0.7]);
});
