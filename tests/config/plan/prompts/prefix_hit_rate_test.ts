import assert from "node:assert/strict";
import { UsageError } from "../../../../src/config/options/usage_error.ts";
import { sharedPrefix } from "../../../../src/config/plan/prompts/shared_prefix.ts";
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

Deno.test("sharedPrefix has the fraction on average, wherever blocks of a cache begin", () => {
  const mean = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
  for (const isl of [200, 333, 500, 777, 2048]) {
    for (const rate of [0.1, 0.3, 0.5, 0.75, 0.9]) {
      const { lengths, tokens } = sharedPrefix(isl, rate);
      const { count, stepTokens } = lengths ?? assert.fail(`${isl} ${rate}`);
      const all = Array.from({ length: count }, (_, at) => tokens + at * stepTokens);
      assert.ok(Math.max(...all) < isl && Math.min(...all) > 0);
      // A chat template comes before the prefix, and is a part of the first block.
      for (const template of [0, 3, 7, 12]) {
        const cachedOf = (block: number) =>
          mean(all.map((length) => Math.floor((template + length) / block) * block)) - template;
        assert.ok(Math.abs(cachedOf(16) - rate * isl) <= 2.5, `${isl} ${rate}: ${cachedOf(16)}`);
        assert.ok(Math.abs(cachedOf(1) - rate * isl) <= 8.5);
        assert.ok(Math.abs(cachedOf(32) - rate * isl) <= 17);
      }
    }
  }
});

Deno.test("sharedPrefix has one length for prompts without room for several", () => {
  assert.deepEqual(sharedPrefix(20, 0.9), { tokens: 19, lengths: undefined });
  assert.deepEqual(sharedPrefix(40, 0.5), { tokens: 21, lengths: { count: 8, stepTokens: 2 } });
});
