import assert from "node:assert/strict";
import { ClockCells } from "../../src/thread/clock_cells.ts";

/** Rounds enough to meet a notification that comes late, as one in some ten thousand does. */
const ROUNDS = 100_000;

Deno.test("ClockCells reads another thread's clock anew in each round", async () => {
  const cells = new ClockCells();
  const url = new URL("../support/answering_thread.ts", import.meta.url);
  const worker = new Worker(url, { type: "module" });
  const message = () =>
    new Promise((resolve) =>
      worker.addEventListener("message", ({ data }) => resolve(data), { once: true })
    );
  assert.equal(await message(), "ready");
  worker.postMessage({ buffer: cells.buffer, rounds: ROUNDS });
  for (let round = 1; round <= ROUNDS; round++) assert.equal(cells.readWorkerClock(), round);
  assert.equal(await message(), ROUNDS);
  worker.terminate();
});
