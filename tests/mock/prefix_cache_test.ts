import assert from "node:assert/strict";
import { PrefixCache } from "../../src/mock/prefix_cache.ts";

Deno.test("PrefixCache finds the tool calls of a reply without an answer in the next prompt", () => {
  const cache = new PrefixCache();
  assert.equal(cache.take(["question"], ["", "tool", "{}"]).cachedTexts, 0);
  assert.equal(cache.take(["question", "tool", "{}", "result"], []).cachedTexts, 3);
  assert.equal(cache.take(["question", "other", "{}"], []).cachedTexts, 1);
});
