import assert from "node:assert/strict";
import { CanaryCells } from "../../../src/measurement/canary/canary_cells.ts";

Deno.test("CanaryCells carry the wishes of every worker to another thread's view of the memory", () => {
  const cells = new CanaryCells(3);
  const reader = new CanaryCells(cells.buffer);
  cells.wish(2, { kind: 1, dueNs: 5.5e9 });
  cells.wish(0, { kind: 2, dueNs: 7 });
  cells.wish(2, { kind: 1, dueNs: 6e9 });
  assert.deepEqual([...reader.take()], [
    { worker: 0, kind: 2, dueNs: 7 },
    { worker: 2, kind: 1, dueNs: 5.5e9 },
    { worker: 2, kind: 1, dueNs: 6e9 },
  ]);
  assert.deepEqual([...reader.take()], []);
});

Deno.test("CanaryCells lose the oldest wishes when nobody looks", () => {
  const cells = new CanaryCells(1);
  const reader = new CanaryCells(cells.buffer);
  for (let dueNs = 0; dueNs < 1000; dueNs++) cells.wish(0, { kind: 1, dueNs });
  const due = [...reader.take()].map(({ dueNs }) => dueNs);
  assert.equal(due.length, 64);
  assert.deepEqual([due[0], due.at(-1)], [936, 999]);
});

Deno.test("CanaryCells tell another thread which phases have ended, and wake it for that", () => {
  const cells = new CanaryCells(2);
  const reader = new CanaryCells(cells.buffer);
  const { wakeCount } = reader;
  assert.ok(reader.isUnderWay(1));
  cells.end(1);
  assert.ok(!reader.isUnderWay(1));
  assert.ok(reader.isUnderWay(2));
  // Would block this thread for good.
  reader.sleep(wakeCount, Infinity);
  assert.deepEqual([...reader.take()], []);
});

Deno.test("CanaryCells do not let a thread sleep that was woken after it looked", () => {
  const cells = new CanaryCells(1);
  const { wakeCount } = cells;
  cells.wish(0, { kind: 1, dueNs: 1 });
  // Would block this thread for good.
  cells.sleep(wakeCount, Infinity);
});
