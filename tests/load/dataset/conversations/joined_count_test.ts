import assert from "node:assert/strict";
import { JoinedCount } from "../../../../src/load/dataset/conversations/joined_count.ts";
import { randomStream } from "../../../../src/core/statistics/random_stream.ts";
import { BUILTIN } from "../../../support/builtin.ts";

const PIECES = [
  ...["word", " leading", "trailing ", "\nline", "tab\t", "12", "3.5", "'s", "don't", "é", "一二"],
  ...['{"key": [1, 2]}', "(x)", "--flag", "a  b", "\n\n", "…", "END.", "👍🏽", "x_y", "  "],
];

Deno.test("JoinedCount counts texts one by one as the tokenizer counts them joined", () => {
  const random = randomStream(5, "joined");
  const pick = (): string => PIECES[Math.floor(random() * PIECES.length)] as string;
  const counts = new JoinedCount(BUILTIN);
  for (let round = 0; round < 400; round++) {
    const texts = Array.from(
      { length: 1 + Math.floor(random() * 6) },
      () =>
        Array.from({ length: 1 + Math.floor(random() * 40) }, pick).join(random() < 0.5 ? " " : ""),
    );
    assert.equal(counts.ofJoined(texts), BUILTIN.count(texts.join(" ")), JSON.stringify(texts));
    for (const text of texts) assert.equal(counts.of(text), BUILTIN.count(text), text);
  }
});

Deno.test("JoinedCount counts the whole where the tokenizer joins words", () => {
  const pairs = { name: "pairs", count: (text: string) => Math.ceil(text.length / 2) };
  const counts = new JoinedCount(pairs);
  const texts = ["a".repeat(99), "b".repeat(100), "c"];
  assert.equal(counts.ofJoined(texts), pairs.count(texts.join(" ")));
  assert.equal(counts.of(texts[0] as string), 50);
});

Deno.test("JoinedCount counts a text once, however many requests have it", () => {
  let characters = 0;
  const counting = {
    name: "counting",
    count(text: string): number {
      characters += text.length;
      return BUILTIN.count(text);
    },
  };
  const counts = new JoinedCount(counting);
  const text = "some words of a long message ".repeat(200);
  counts.ofJoined(["first", text]);
  const once = characters;
  for (let request = 0; request < 50; request++) counts.ofJoined(["first", text]);
  assert.ok(once < 2 * text.length + 20_000);
  assert.equal(characters, once, "short texts are counted once as well");
});
