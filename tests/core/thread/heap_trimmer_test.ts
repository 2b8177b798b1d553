import assert from "node:assert/strict";
import { HeapTrimmer } from "../../../src/core/thread/heap_trimmer.ts";
import { withCollector } from "../../support/with_collector.ts";

/** Has the heap grow by more than is left alone. */
function grownHeap(): number[][] {
  const { heapUsed } = Deno.memoryUsage();
  const kept: number[][] = [];
  while (Deno.memoryUsage().heapUsed < 1.25 * heapUsed + 8e6) kept.push(Array(1e4).fill(0.5));
  return kept;
}

Deno.test("HeapTrimmer cleans up when the heap has grown by a quarter and some megabytes", () =>
  withCollector((calls) => {
    const watch = new HeapTrimmer();
    watch.check();
    assert.equal(calls(), 0, "what a thread begins with is no garbage");
    const kept = grownHeap();
    watch.check();
    assert.equal(calls(), 1);
    watch.check();
    assert.equal(calls(), 1, `${kept.length} arrays are in use now`);
  }));

Deno.test("HeapTrimmer leaves a heap alone that would take long to clean up", () =>
  withCollector((calls) => {
    const watch = new HeapTrimmer(Deno.memoryUsage().heapUsed / 2);
    const kept = grownHeap();
    watch.check();
    assert.equal(calls(), 0, `${kept.length} arrays are in use`);
  }));

Deno.test("HeapTrimmer does nothing where the engine does not let it", () => {
  assert.equal("gc" in globalThis, false);
  new HeapTrimmer().check();
});
