import assert from "node:assert/strict";
import { ClockCells } from "../../../src/core/thread/clock_cells.ts";

/** Has another thread answer in some way, and reads its clock so often. */
async function readOften(
  way: "as it does" | "late",
  rounds: number,
  cells = new ClockCells(),
): Promise<number[]> {
  const url = new URL("../../support/answering_thread.ts", import.meta.url);
  const worker = new Worker(url, { type: "module" });
  try {
    await new Promise((resolve) => worker.addEventListener("message", resolve, { once: true }));
    worker.postMessage({ buffer: cells.buffer, rounds, way });
    return Array.from({ length: rounds }, () => cells.readWorkerClock());
  } finally {
    worker.terminate();
  }
}

Deno.test("ClockCells reads another thread's clock anew in each round", async () => {
  const readings = Array.from({ length: 200 }, (_, index) => index + 1);
  assert.deepEqual(await readOften("as it does", 200), readings);
});

Deno.test("ClockCells tells when the other thread was born, which was after this one", async () => {
  const cells = new ClockCells();
  await readOften("as it does", 1, cells);
  const ageMs = performance.timeOrigin + performance.now() - cells.workerOriginMs;
  assert.ok(ageMs > 0 && ageMs < performance.now(), `${ageMs}`);
});

Deno.test("ClockCells waits for an answer when it is only woken", async () => {
  assert.deepEqual(await readOften("late", 3), [1, 2, 3]);
});
