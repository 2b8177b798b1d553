import assert from "node:assert/strict";
import { mergeUsage, readUsage } from "../../src/endpoint/usage.ts";

Deno.test("readUsage reads how many prompt tokens came out of the server's cache", () => {
  const cached = (fields: Readonly<Record<string, unknown>>) =>
    readUsage({ "prompt_tokens": 20, ...fields })?.cachedTokens;
  assert.equal(cached({ "prompt_tokens_details": { "cached_tokens": 18 } }), 18);
  assert.equal(cached({ "prompt_tokens_details": { "cached_tokens": 0 } }), 0);
  assert.equal(cached({ "input_tokens_details": { "cached_tokens": 7 } }), 7);
  assert.equal(cached({ "prompt_cache_hit_tokens": 5 }), 5);
  assert.equal(cached({ "prompt_tokens_details": null }), undefined);
  assert.equal(cached({ "prompt_tokens_details": { "audio_tokens": 3 } }), undefined);
  assert.equal(cached({ "prompt_tokens_details": { "cached_tokens": "18" } }), undefined);
  assert.equal(cached({ "prompt_tokens_details": { "cached_tokens": -1 } }), undefined);
  assert.equal(cached({ "completion_tokens_details": { "cached_tokens": 4 } }), undefined);
});

Deno.test("mergeUsage keeps the cached tokens that were told last", () => {
  const told = readUsage({ "prompt_tokens": 9, "prompt_tokens_details": { "cached_tokens": 4 } });
  const later = readUsage({ "prompt_tokens": 9, "completion_tokens": 2 });
  assert.ok(told !== undefined && later !== undefined);
  assert.equal(mergeUsage(told, later).cachedTokens, 4);
  assert.equal(mergeUsage(later, told).cachedTokens, 4);
});
