import assert from "node:assert/strict";
import fc from "fast-check";
import { BlockCache } from "../../src/mock/block_cache.ts";

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, place) => from + place);

Deno.test("BlockCache finds whole blocks of prompts and replies, never the last token", () => {
  const cache = new BlockCache(4, Infinity);
  assert.equal(cache.take("m", range(0, 10), range(10, 13)), 0);
  assert.equal(cache.take("m", range(0, 10), []), 8);
  assert.equal(cache.take("m", range(0, 20), []), 12, "the reply is cached, too");
  assert.equal(cache.take("m", range(0, 8), []), 4, "the last token is always computed");
  assert.equal(cache.take("m", range(1, 9), []), 0);
  assert.equal(cache.take("other", range(0, 10), []), 0);
  cache.clear();
  assert.equal(cache.take("m", range(0, 10), []), 0);
});

Deno.test("BlockCache gives up the blocks that were used longest ago", () => {
  const cache = new BlockCache(2, 4);
  cache.take("m", range(0, 5), []);
  cache.take("m", range(100, 105), []);
  assert.equal(cache.take("m", range(0, 5), []), 4);
  cache.take("m", range(200, 205), []);
  assert.equal(cache.take("m", range(100, 105), []), 0);
});

Deno.test("BlockCache: hits are those of a list of all earlier prompts", () => {
  const prompt = fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(
      fc.array(prompt, { maxLength: 8 }),
      fc.integer({ min: 1, max: 3 }),
      (prompts, size) => {
        const cache = new BlockCache(size, Infinity);
        prompts.forEach((tokens, at) => {
          let expected = 0;
          for (let end = size; end <= tokens.length - 1; end += size) {
            const head = tokens.slice(0, end).join();
            const isKnown = prompts.slice(0, at).some((other) =>
              other.slice(0, end).join() === head
            );
            if (!isKnown) break;
            expected = end;
          }
          assert.equal(cache.take("m", tokens, []), expected);
        });
      },
    ),
  );
});
