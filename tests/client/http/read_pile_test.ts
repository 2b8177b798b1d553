import assert from "node:assert/strict";
import { ReadPile } from "../../../src/client/http/read_pile.ts";

const LARGE = 16 * 1024;

/** A read: when it returned, its bytes, and what is known of it. */
type Read = readonly [ms: number, bytes: number, how?: "full" | "told"];

/** Since when each of some reads may have been there. */
function sinceOf(...reads: readonly Read[]): number[] {
  const pile = new ReadPile();
  pile.begin();
  return reads.map(([ms, bytes, how]) => {
    pile.add(ms * 1e6, bytes, how === "full", how === "told");
    return pile.sinceNs / 1e6;
  });
}

Deno.test("ReadPile begins anew with each read after one that had room for more", () => {
  assert.deepEqual(sinceOf([1, 300], [2, 300], [900, 9000, "told"], [901, 300]), [1, 2, 900, 901]);
});

Deno.test("ReadPile goes back to the first of the reads that had no room", () => {
  assert.deepEqual(sinceOf([1, 4096, "full"], [3, 4096, "full"], [7, 500], [8, 500]), [1, 1, 1, 8]);
  // Where there was nothing to read for some turns, nothing had been left.
  assert.deepEqual(sinceOf([1, 4096, "full"], [3, 500, "told"]), [1, 3]);
});

Deno.test("ReadPile takes what comes soon after a large read for written before", () => {
  assert.deepEqual(sinceOf([1, LARGE], [3, 500, "told"], [50, 500, "told"]), [1, 1, 1]);
  assert.deepEqual(sinceOf([1, LARGE], [51, LARGE, "told"], [60, 500]), [1, 51, 51]);
});

Deno.test("ReadPile waits for many small reads after a large one where turns do not tell", () => {
  const reads = Array.from({ length: 20 }, (_, i): Read => [1000 + 100 * i, 500]);
  const since = sinceOf([1, LARGE], ...reads);
  assert.deepEqual(since.slice(0, 17), new Array(17).fill(1));
  assert.deepEqual(since.slice(17), [2600, 2700, 2800, 2900]);
});

Deno.test("ReadPile forgets the reads of the reply before", () => {
  const pile = new ReadPile();
  pile.add(1e6, LARGE, true, false);
  pile.begin();
  pile.add(2e6, 500, false, false);
  assert.equal(pile.sinceNs, 2e6);
});
