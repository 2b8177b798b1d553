import assert from "node:assert/strict";
import { UsageError } from "../../../../src/config/options/usage_error.ts";
import { meantSettings } from "../../../../src/config/plan/resolve/meant_settings.ts";

const OPTIONS = { model: "m", url: ["http://a:1", "http://b:1"] };

function settingsOf(options: Parameters<typeof meantSettings>[0]) {
  return meantSettings({ ...OPTIONS, ...options }).settings;
}

Deno.test("--prefix-hit-rate shares a prefix within the prompt, and fills caches before", () => {
  const settings = settingsOf({ prefixHitRate: 0.6, isl: 1000 });
  const { isl, numPrefixPrompts, prefixPromptLength = 0 } = settings;
  assert.equal(numPrefixPrompts, 1);
  assert.equal(isl + prefixPromptLength, 1000, "as long as asked");
  // Whatever the size of blocks is, the whole blocks of the prefix are near the fraction.
  for (const block of [1, 8, 16]) {
    const cached = Math.floor(prefixPromptLength / block) * block / 1000;
    assert.ok(Math.abs(cached - 0.6) <= 0.01, `${cached} with blocks of ${block}`);
  }
  assert.deepEqual([settings.warmupRequestCount, settings.warmupConcurrency], [4, 1]);
});

Deno.test("--prefix-hit-rate keeps the user's own warm-up, and 0 shares nothing", () => {
  const own = settingsOf({ prefixHitRate: 0.5, isl: 400, warmupRequestCount: 7 });
  assert.deepEqual([own.warmupRequestCount, own.warmupConcurrency], [7, undefined]);
  const none = settingsOf({ prefixHitRate: 0, isl: 400 });
  assert.deepEqual([none.isl, none.numPrefixPrompts], [400, undefined]);
});

Deno.test("--prefix-hit-rate refuses prompts without a block in common, and other prefixes", () => {
  assert.throws(() => settingsOf({ prefixHitRate: 0.1, isl: 20 }), UsageError);
  assert.throws(
    () => settingsOf({ prefixHitRate: 0.5, numPrefixPrompts: 2, prefixPromptLength: 9 }),
    UsageError,
  );
  assert.throws(() => settingsOf({ prefixHitRate: 1.1 }), UsageError);
});
