/** A thread whose clock is read by a {@linkcode ClockCells}; it is told how often. */

import { ClockCells } from "../../src/thread/clock_cells.ts";

interface Scope {
  onmessage: (event: MessageEvent<{ buffer: SharedArrayBuffer; rounds: number }>) => void;
  postMessage(message: unknown): void;
}
const scope = globalThis as unknown as Scope;
scope.onmessage = ({ data: { buffer, rounds } }) => {
  let reading = 0;
  new ClockCells(buffer).answerClockReads(() => ++reading, rounds);
  scope.postMessage(reading);
};
scope.postMessage("ready");
