/** A thread whose clock is read by a {@linkcode ControlBlock}; it is told how often. */

import { ControlBlock } from "../../src/load/control_block.ts";

interface Scope {
  onmessage: (event: MessageEvent<{ buffer: SharedArrayBuffer; rounds: number }>) => void;
  postMessage(message: unknown): void;
}
const scope = globalThis as unknown as Scope;
scope.onmessage = ({ data: { buffer, rounds } }) => {
  let reading = 0;
  new ControlBlock(buffer).answerClockReads(() => ++reading, rounds);
  scope.postMessage(reading);
};
scope.postMessage("ready");
