/**
 * A thread that sleeps two milliseconds at a time and counts by how much it wakes too late, which is
 * how long the machine stood still. It goes before everything else where that is permitted.
 */

import { setPriority } from "node:os";
import { StallCells } from "./stall_cells.ts";

const SLEEP_MS = 2;
/** Less is the usual delay of a wake-up. */
const LATE_MS = 1;
const FIRST_PRIORITY = -20;

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<SharedArrayBuffer>) => void) | null;
};
scope.onmessage = ({ data }) => {
  try {
    setPriority(0, FIRST_PRIORITY);
  } catch {
    // Then a machine that is busy looks like one that stands still.
  }
  const cells = new StallCells(data);
  for (;;) {
    const startMs = performance.now();
    cells.sleep(SLEEP_MS);
    const lateMs = performance.now() - startMs - SLEEP_MS;
    if (lateMs > LATE_MS) cells.lose(lateMs);
  }
};
