/** Counts of the embedded corpora, held against those of the tokenizer. */

import assert from "node:assert/strict";
import { randomStream } from "../../../../src/core/statistics/random_stream.ts";
import { Corpus } from "../../../../src/load/dataset/corpus/corpus.ts";
import { PromptWindows } from "../../../../src/load/dataset/corpus/prompt_windows.ts";
import { BUILTIN } from "../../../support/builtin.ts";

/** Pieces before an end that are counted with it, at least. */
const BEFORE = 6;

for (const name of ["sonnet", "coding"] as const) {
  Deno.test(`Corpus.isEnd is true exactly where a text of ${name} keeps its count when it ends`, async () => {
    const corpus = await Corpus.load(name);
    const { offsets, tokensBefore, pieces } = corpus;
    let refused = 0;
    for (let end = 1; end <= pieces; end++) {
      // Not within a run of spaces, which would be cut otherwise.
      let start = Math.max(0, end - BEFORE);
      while (start > 0 && /^ *$/.test(pieceOf(corpus, start))) start--;
      const from = offsets[start] as number;
      const text = corpus.textOf(from, (offsets[end] as number) - from);
      const summed = (tokensBefore[end] as number) - (tokensBefore[start] as number);
      const isExact = BUILTIN.count(text) === summed;
      assert.equal(corpus.isEnd(end), isExact, JSON.stringify(text));
      if (!isExact) refused++;
    }
    assert.equal(corpus.isEnd(0), corpus.isEnd(pieces), "it is read round and round");
    assert.equal(refused > 0, name === "coding", `${refused} of ${pieces}`);
  });
}

Deno.test("PromptWindows end nowhere that the text would have fewer tokens", async () => {
  const corpus = await Corpus.load("coding");
  const windows = new PromptWindows(corpus, randomStream(1, "ends"));
  for (let drawn = 0; drawn < 20_000; drawn++) {
    const tokens = 1 + drawn % 40;
    const { offset, length } = windows.next(tokens);
    const text = corpus.textOf(offset, length);
    assert.equal(BUILTIN.count(text), tokens, JSON.stringify(text));
  }
});

function pieceOf(corpus: Corpus, piece: number): string {
  const from = corpus.offsets[piece] as number;
  return corpus.textOf(from, (corpus.offsets[piece + 1] as number) - from);
}
