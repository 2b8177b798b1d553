import assert from "node:assert/strict";
import fc from "fast-check";
import { newTexts } from "../../../../src/client/endpoint/protocol/new_texts.ts";

/** What the events of a choice add. */
function added(texts: readonly string[]): string[] {
  const newText = newTexts();
  return texts.map((text) => newText(text, 0));
}

Deno.test("newTexts tells pieces from texts that grow, however they begin", () => {
  const cases: readonly (readonly [texts: string[], wanted: string[]])[] = [
    [["Hel", "Hello", "Hello!", "Hello!"], ["Hel", "lo", "!", ""]],
    [["Hel", "lo", "!", ""], ["Hel", "lo", "!", ""]],
    // A character that is not complete, and a stop string that is cut off.
    [["Hi", "Hi", "Hi", "Hi", "Hi é", "Hi é."], ["Hi", "", "", "", " é", "."]],
    [["Hi", "Hi there#", "Hi there"], ["Hi", " there#", ""]],
    // Pieces that are alike.
    [["ha", "ha", "!", " ok"], ["ha", "", "ha!", " ok"]],
    [Array(7).fill(" tok"), [" tok", "", "", "", " tok tok tok tok", " tok", " tok"]],
  ];
  for (const [texts, wanted] of cases) assert.deepEqual(added(texts), wanted, texts.join("|"));
});

Deno.test("newTexts keeps every character of pieces that begin like the one before", () => {
  const pieces = [" ", " the", " cat", " the", " sat"];
  const told = added(pieces).join("");
  assert.deepEqual([...told].sort(), [...pieces.join("")].sort());
});

Deno.test("newTexts adds up to the text that grows, whatever it is", () => {
  const pieces = fc.array(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1 });
  fc.assert(fc.property(pieces, (list) => {
    const grown = list.map((_, index) => list.slice(0, index + 1).join(""));
    assert.equal(added(grown).join(""), list.join(""));
  }));
});

Deno.test("newTexts keeps choices apart", () => {
  const newText = newTexts();
  assert.deepEqual(
    ([["a", 0], ["x", 1], ["ab", 0], ["xy", 1]] as const).map(([text, at]) => newText(text, at)),
    ["a", "x", "b", "y"],
  );
});
