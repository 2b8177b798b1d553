import assert from "node:assert/strict";
import type { ReplyPiece } from "../../src/client/endpoint/protocol/reply_writer.ts";
import { brokenForm } from "../../src/mock/broken_form.ts";

function answer(texts: readonly string[], choice?: number): ReplyPiece[] {
  return texts.map((text) => ({
    ...{ text, tokens: 1, isReasoning: false },
    ...(choice === undefined ? {} : { choice }),
  }));
}

function textOf(pieces: readonly ReplyPiece[] | undefined, wanted = 0): string | undefined {
  return pieces?.filter(({ choice = 0 }) => choice === wanted).map(({ text }) => text).join("");
}

const THOUGHT: ReplyPiece = { text: "hm", tokens: 1, isReasoning: true };
const CALL = { index: 0, id: "c", name: "f" };
const CALLS: readonly ReplyPiece[] = [
  { text: "", tokens: 1, isReasoning: false, call: CALL },
  { text: '{"a":1}', tokens: 2, isReasoning: false, call: CALL },
];

Deno.test("invalid_json ends the answer of each choice in its middle, however it is cut", () => {
  const text = '{"a":[1,2]}';
  for (const pieces of [[text], ['{"', 'a":[', "1,2]}"], [...text]]) {
    const broken = brokenForm(answer(pieces), "invalid_json", true);
    assert.equal(textOf(broken), '{"a":');
  }
  const both = brokenForm(
    [...answer(["[1,", "2]"]), ...answer(["[4444", "]"], 1)],
    "invalid_json",
    true,
  );
  assert.deepEqual([textOf(both), textOf(both, 1)], ["[1", "[44"]);
});

Deno.test("invalid_form changes the type of JSON, and other texts", () => {
  const broken = (texts: readonly string[]) =>
    textOf(brokenForm(answer(texts), "invalid_form", true));
  assert.equal(broken(['{"a"', ":1}"]), '[{"a":1}]');
  assert.equal(broken(["[1]"]), '{"wrapped":[1]}');
  assert.equal(broken(["ye", "s"]), "not yes at all");
});

Deno.test("wrong_tool renames calls, and their arguments can end in the middle", () => {
  const renamed = brokenForm(CALLS, "wrong_tool", false);
  assert.deepEqual(renamed?.map(({ call }) => call?.name), ["f_2", "f_2"]);
  assert.equal(textOf(brokenForm(CALLS, "invalid_json", false)), '{"a');
});

Deno.test("a kind that does not apply leaves a reply whole", () => {
  assert.equal(brokenForm(answer(["words"]), "invalid_json", false), undefined);
  assert.equal(brokenForm(answer(["yes"]), "invalid_json", true), undefined);
  assert.equal(brokenForm(answer(["words"]), "invalid_form", false), undefined);
  assert.equal(brokenForm(answer(["words"]), "wrong_tool", false), undefined);
  // Arguments in one piece are written as an object.
  const whole = CALLS.slice(1);
  assert.equal(brokenForm(whole, "invalid_json", false), undefined);
  const reasoned = brokenForm([THOUGHT, ...answer(['"ab"'])], "invalid_json", true);
  assert.deepEqual(reasoned?.map(({ text }) => text), ["hm", '"a']);
});
