import assert from "node:assert/strict";
import { IdleCells } from "../../../src/load/worker/idle_cells.ts";

Deno.test("IdleCells keep when the first user had no session left, whoever reports first", () => {
  const cells = new IdleCells(new SharedArrayBuffer(IdleCells.BYTES), 0);
  assert.equal(cells.firstUserNs, undefined);
  for (const atNs of [20, 10, 30]) cells.leave(atNs);
  assert.equal(cells.firstUserNs, 10);
});
