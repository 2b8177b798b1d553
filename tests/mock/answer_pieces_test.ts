import assert from "node:assert/strict";
import { answerPieces } from "../../src/mock/answer_pieces.ts";

/** Cuts an answer at a limit; each character is a token. */
function cut(maxTokens: number, choices = 1) {
  const tokenizer = { name: "characters", count: (text: string) => text.length };
  return answerPieces("abcdef", { tokenizer, tokensPerChunk: 2, choices, maxTokens });
}

Deno.test("answerPieces leaves an answer whole that has as many tokens as may be written", () => {
  const { isCut, pieces } = cut(6);
  assert.equal(isCut, false);
  assert.deepEqual(pieces.map(({ text, tokens }) => [text, tokens]), [
    ["ab", 2],
    ["cd", 2],
    ["ef", 2],
  ]);
});

Deno.test("answerPieces leaves out pieces that exceed the limit, of each choice", () => {
  const { isCut, pieces } = cut(5, 2);
  assert.equal(isCut, true);
  assert.deepEqual(pieces.map(({ text, choice = 0 }) => [text, choice]), [
    ...[["ab", 0], ["ab", 1], ["cd", 0], ["cd", 1]],
  ]);
});
