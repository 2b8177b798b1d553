import fc from "fast-check";
import { Tiktoken } from "js-tiktoken/lite";
import ranks from "js-tiktoken/ranks/o200k_base";
import assert from "node:assert/strict";
import { BUILTIN } from "../../../support/builtin.ts";

const theirs = new Tiktoken(ranks);

function same(text: string): void {
  assert.equal(BUILTIN.count(text), theirs.encode(text, [], []).length, JSON.stringify(text));
}

Deno.test("BuiltinTokenizer counts as tiktoken does: prose, code, scripts, odd characters", () => {
  for (
    const text of [
      "",
      " ",
      "Hello, world! It's I'LL we've don't 12345 1.5e-7",
      "function f(a, b) {\n\treturn a?.b ?? `${b}`;\n}\n\n\n  // x\r\n",
      "héllo wörld ÀÉ naïve ĳ ǅungla Ⅷ ²³ e\u0301",
      "你好世界，这是一个测试。こんにちは 안녕하세요 สวัสดี",
      "🚀👨‍👩‍👧 \u2028 \u00a0 \ufeff",
      "://///\n\n//  \t x\n   ",
      "\ud800 lone surrogate",
      "<|endoftext|>",
      "a".repeat(300) + " ".repeat(50) + "x",
    ]
  ) same(text);
  same(new TextDecoder().decode(Deno.readFileSync(new URL(import.meta.url))));
});

Deno.test("BuiltinTokenizer counts as tiktoken does on mixtures of everything", () => {
  const piece = fc.oneof(
    fc.constantFrom("a", "B", "é", " ", "\n", "'", "s", "ll", "1", "你", "🚀", "e\u0301", "/", "."),
    fc.constantFrom("\t", "\r", "ß", "ʰ", "ª", "-", "\u00a0", "'S", "word", "THE", "The", "   "),
    fc.string({ unit: "grapheme", maxLength: 3 }),
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => same(pieces.join(""))), {
    numRuns: 2000,
  });
});

Deno.test("BuiltinTokenizer stays quick on a long piece without blanks", () => {
  // Twenty thousand letters are one piece; a quadratic merge would look at it for minutes.
  assert.equal(BUILTIN.count("ab".repeat(10_000)), BUILTIN.count("ab".repeat(10_000)));
});
