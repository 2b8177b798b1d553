import assert from "node:assert/strict";
import { collectGarbage, collectYoungGarbage } from "../../../src/core/thread/collect_garbage.ts";

Deno.test("collectGarbage and collectYoungGarbage ask the engine, if it listens", () => {
  const scope = globalThis as { gc?: (...options: unknown[]) => void };
  const { gc } = scope;
  const asked: unknown[][] = [];
  try {
    scope.gc = (...options) => void asked.push(options);
    collectGarbage();
    collectYoungGarbage();
    delete scope.gc;
    collectGarbage();
    collectYoungGarbage();
  } finally {
    if (gc === undefined) delete scope.gc;
    else scope.gc = gc;
  }
  assert.deepEqual(asked, [[], [{ type: "minor" }]]);
});
