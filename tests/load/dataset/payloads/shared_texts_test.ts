import assert from "node:assert/strict";
import {
  SharedTextsBuilder,
  textOf,
  withoutTexts,
} from "../../../../src/load/dataset/payloads/shared_texts.ts";

Deno.test("SharedTextsBuilder keeps the texts of entries, equal ones once", () => {
  const builder = new SharedTextsBuilder();
  builder.set(1, "größer");
  builder.set(3, "");
  builder.set(4, "größer");
  const texts = builder.finish(6);
  assert.ok(texts !== undefined);
  const all = Array.from({ length: 7 }, (_, entry) => textOf(texts, entry));
  assert.deepEqual(all, [undefined, "größer", undefined, "", "größer", undefined, undefined]);
  assert.equal(texts.bytes.length, 8);
  assert.equal(textOf(withoutTexts(texts), 1), undefined);
});

Deno.test("SharedTextsBuilder has no texts where no entry has one", () => {
  assert.equal(new SharedTextsBuilder().finish(3), undefined);
  assert.equal(textOf(undefined, 0), undefined);
});
