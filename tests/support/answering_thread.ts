/**
 * A thread whose clock is read by a {@linkcode ClockCells}; it is told how often, and in which way
 * it is to answer.
 */

import { ClockCells } from "../../src/core/thread/clock_cells.ts";

/** What the thread is told. */
interface Orders {
  readonly buffer: SharedArrayBuffer;
  readonly rounds: number;
  readonly way: "as it does" | "late";
}

interface Scope {
  onmessage: (event: MessageEvent<Orders>) => void;
  postMessage(message: unknown): void;
}
const scope = globalThis as unknown as Scope;
scope.onmessage = ({ data: { buffer, rounds, way } }) => {
  let reading = 0;
  const cells = new ClockCells(buffer);
  const turn = new Int32Array(buffer, 0, 1);
  for (let round = 0; round < rounds; round++) {
    cells.answerClockReads(
      () => {
        // A notification of the round before may come only now: whoever waits is woken by it.
        if (way === "late") { while (Atomics.notify(turn, 0) === 0); }
        return ++reading;
      },
      performance.timeOrigin,
      1,
    );
  }
};
scope.postMessage("ready");
