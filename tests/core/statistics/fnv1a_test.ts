import assert from "node:assert/strict";
import { fnv1a } from "../../../src/core/statistics/fnv1a.ts";

const encoder = new TextEncoder();

Deno.test("fnv1a gives the numbers that its authors publish", () => {
  for (
    const [text, hash] of [["", 0x811c9dc5], ["a", 0xe40c292c], ["foobar", 0xbf9cf968]] as const
  ) {
    assert.equal(fnv1a(encoder.encode(text)), hash, text);
  }
});

Deno.test("fnv1a goes on where it ended", () => {
  assert.equal(fnv1a(encoder.encode("bar"), fnv1a(encoder.encode("foo"))), 0xbf9cf968);
});
