import assert from "node:assert/strict";
import fc from "fast-check";
import { BlockText, promptOf } from "../../../../src/load/dataset/corpus/block_text.ts";
import { BUILTIN } from "../../../support/builtin.ts";

const text = await BlockText.load(3, undefined);
const key = fc.oneof(
  fc.integer({ min: 0, max: 100_000 }),
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
);

Deno.test("blockText's prompts have the sum of their blocks' tokens", () => {
  fc.assert(fc.property(
    fc.array(fc.tuple(key, fc.integer({ min: 1, max: 600 })), { minLength: 1, maxLength: 6 }),
    (blocks) => {
      const prompt = promptOf(blocks.map(([key, tokens]) => text.text(key, tokens)));
      const tokens = blocks.reduce((sum, [, tokens]) => sum + tokens, 0);
      assert.equal(BUILTIN.count(prompt), tokens);
    },
  ));
});

Deno.test("blockText begins a longer text of a key with a shorter one", () => {
  fc.assert(fc.property(
    key,
    fc.integer({ min: 1, max: 600 }),
    fc.integer({ min: 0, max: 600 }),
    (key, tokens, more) => {
      assert.ok(text.text(key, tokens + more).startsWith(text.text(key, tokens)));
    },
  ));
});

Deno.test("blockText's keys differ within their first five tokens", () => {
  fc.assert(fc.property(key, key, (one, other) => {
    assert.equal(text.text(one, 5) === text.text(other, 5), one === other);
  }));
  const near = new Set(Array.from({ length: 1000 }, (_, key) => text.text(key, 1)));
  assert.equal(near.size, 1000, "neighbours differ in their first token");
});

Deno.test("blockText is longer than its corpus where that is asked", () => {
  assert.equal(BUILTIN.count(promptOf([text.text(1, 300_000)])), 300_000);
});

Deno.test("blockText depends on the seed", async () => {
  const other = await BlockText.load(4, undefined);
  assert.notEqual(other.text(1, 50), text.text(1, 50));
  assert.equal((await BlockText.load(3, BUILTIN)).text(1, 50), text.text(1, 50));
});

Deno.test("blockText uses the words that another tokenizer has as one token", async () => {
  const tokenizer = {
    name: "short words",
    count: (text: string) =>
      text.split(" ").filter((word) => word !== "")
        .reduce((sum, { length }) => sum + Math.ceil(length / 4), 0),
  };
  const short = await BlockText.load(1, tokenizer);
  const prompt = promptOf([short.text(1, 100), short.text(2, 30)]);
  assert.equal(tokenizer.count(prompt), 130);
  assert.ok(prompt.split(" ").every(({ length }) => length <= 4));
  const none = { name: "bytes", count: (text: string) => text.length };
  await assert.rejects(() => BlockText.load(1, { ...none, count: (t) => t.length + 1 }), {
    name: "DatasetError",
    message: /no words of one token: traces of lengths need --tokenizer builtin/,
  });
});
