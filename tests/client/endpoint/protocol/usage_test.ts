import assert from "node:assert/strict";
import { mergeUsage, readUsage } from "../../../../src/client/endpoint/protocol/usage.ts";

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

Deno.test("readUsage refuses numbers that are no counts, and says how many", () => {
  for (const absurd of [-1, 0.5, 1e308, 1e15, 1e9 + 1, -1e308]) {
    const usage = readUsage({ "prompt_tokens": absurd, "completion_tokens": 3 });
    assert.deepEqual(
      [usage?.promptTokens, usage?.completionTokens, usage?.refused],
      [undefined, 3, 1],
    );
    const details = { "completion_tokens_details": { "reasoning_tokens": absurd } };
    assert.equal(readUsage(details)?.refused, 1, "nothing else is known");
  }
  for (const fine of [0, 1, 1e9]) {
    const usage = readUsage({ "prompt_tokens": fine });
    assert.deepEqual([usage?.promptTokens, usage?.refused], [fine, 0]);
  }
  assert.equal(readUsage({ "prompt_tokens": "12", "completion_tokens": null }), undefined);
});

Deno.test("mergeUsage adds up what was refused", () => {
  const bad = readUsage({ "prompt_tokens": -1, "total_tokens": 0.5 });
  const good = readUsage({ "prompt_tokens": 4 });
  assert.ok(bad !== undefined && good !== undefined);
  assert.equal(mergeUsage(mergeUsage(bad, good), bad).refused, 4);
  assert.equal(mergeUsage(good, bad).promptTokens, 4);
});

Deno.test("mergeUsage keeps the cached tokens that were told last", () => {
  const told = readUsage({ "prompt_tokens": 9, "prompt_tokens_details": { "cached_tokens": 4 } });
  const later = readUsage({ "prompt_tokens": 9, "completion_tokens": 2 });
  assert.ok(told !== undefined && later !== undefined);
  assert.equal(mergeUsage(told, later).cachedTokens, 4);
  assert.equal(mergeUsage(later, told).cachedTokens, 4);
});
