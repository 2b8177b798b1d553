import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { TextChunks } from "../../../../src/report/export/server_metrics/text_chunks.ts";

Deno.test("TextChunks has the bytes of all pieces, and of the next text after clear", () =>
  fc.assert(fc.property(
    fc.array(fc.array(fc.string({ unit: "grapheme", maxLength: 50 })), { minLength: 1 }),
    (texts) => {
      const chunks = new TextChunks();
      for (const pieces of texts) {
        chunks.clear();
        for (const piece of pieces) chunks.add(piece);
        const expected = Buffer.from(pieces.join(""));
        assert.deepEqual(Buffer.concat([...chunks]), expected);
        assert.equal(chunks.length, expected.length);
      }
    },
  )));

Deno.test("TextChunks takes pieces of any length, and cuts no character in two", () => {
  const chunks = new TextChunks();
  const large = ["a".repeat(131_071), "é🚀".repeat(100_000), "🚀", "x".repeat(1_000_000)];
  for (const pieces of [large, ["small"], large]) {
    chunks.clear();
    for (const piece of pieces) chunks.add(piece);
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const text = [...chunks].map((bytes) => decoder.decode(bytes)).join("");
    assert.equal(text, pieces.join(""));
  }
});
