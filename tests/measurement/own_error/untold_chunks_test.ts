import assert from "node:assert/strict";
import { untoldChunks } from "../../../src/measurement/own_error/untold_chunks.ts";

const MS = 1e6;

/** Two threads, of which the second reads canaries later. */
const CANARIES = new Map([[1, 1, 1], [0, 2, 9]].map((delays, worker) => [worker, {
  readNs: Float64Array.from(delays),
  delayNs: Float64Array.from(delays, (ms) => ms * MS),
}]));

const untold = (itlMs: number | undefined, isByFetch = true, areCanariesOther = false) =>
  untoldChunks({ isByFetch, areCanariesOther, itlMs }, CANARIES);

Deno.test("untoldChunks are later ones of tokens that come faster than fetch reads them", () => {
  assert.deepEqual(untold(8), []);
  assert.deepEqual(untold(7.9), ["second", "last"]);
  assert.deepEqual(untold(0), ["second", "last"]);
});

Deno.test("untoldChunks are none of replies in one piece, and of what is read at once", () => {
  assert.deepEqual(untold(undefined), []);
  assert.deepEqual(untold(0.1, false), []);
});

Deno.test("untoldChunks are all where canaries are read in another way", () => {
  assert.deepEqual(untold(50, true, true), ["first", "second", "last"]);
});
