import assert from "node:assert/strict";
import { readExpected } from "../../../../src/measurement/answers/expected/read_expected.ts";
import { shownAnswers } from "../../../../src/measurement/answers/shown/shown_answers.ts";

/** Expected answer and reply as they are shown. */
function shown(expected: unknown, text: string, toolText = ""): [string, string] {
  const reply = { text, toolText, toolCalls: [], endedAtLimit: false };
  const { expected: wanted, reply: given } = shownAnswers(
    readExpected(expected),
    reply,
    (text) => text.replaceAll("s3cret", "<redacted>"),
  );
  return [wanted, given];
}

Deno.test("shownAnswers shows texts from shortly before their first difference", () => {
  const same = "x".repeat(100);
  const before = `... ${"x".repeat(80)}`;
  assert.deepEqual(shown(`${same}one`, ` ${same}two\n`), [`${before}one`, `${before}two`]);
  assert.deepEqual(shown("Paris", "<think>Paris?</think>Rome"), ["Paris", "Rome"]);
});

Deno.test("shownAnswers shows JSON around the value that differs", () => {
  const list = Array.from({ length: 300 }, (_, index) => index);
  const [wanted, given] = shown(
    { json: { list, b: 1 } },
    `Here:\n\`\`\`json\n${JSON.stringify({ list: [...list.slice(0, 200), -1] }, null, 2)}\n\`\`\``,
  );
  assert.match(wanted, /^\{"list":\[0,1,2,.* \.\.\.$/);
  assert.ok(given.startsWith(`{\n  "list": [\n    0,\n`));
  const [, other] = shown({ json: { list, b: 1 } }, JSON.stringify({ list, b: 2 }));
  assert.match(other, /^\.\.\. [\d,]+299\],"b":2\}$/);
  assert.deepEqual(shown({ json: [1] }, "no list"), ["[1]", "no list"]);
});

Deno.test("shownAnswers shows the end of a text in which a number or a letter is looked for", () => {
  const [wanted, given] = shown({ number: 42, tolerance: 0.5 }, `${"x ".repeat(400)}so 43`);
  assert.equal(wanted, "42 ± 0.5");
  assert.match(given, /^\.\.\. .{395}so 43$/);
  assert.deepEqual(shown({ choice: "b" }, "C."), ["B", "C."]);
});

Deno.test("shownAnswers shows patterns, keywords and tool calls", () => {
  assert.deepEqual(shown({ regex: "^a", flags: "i" }, "b"), ["/^a/i", "b"]);
  assert.deepEqual(shown({ keywords: ["a", ["b", "c"]] }, "x"), ["a, b or c", "x"]);
  const call = { name: "f", arguments: { b: 1, a: 2 } };
  assert.deepEqual(shown({ "tool_calls": [call] }, "", 'f{"a": 3, "b": 1}'), [
    'f({"a":2,"b":1})',
    'f({"a":3,"b":1})',
  ]);
  assert.deepEqual(shown({ "tool_calls": [call] }, "no call"), ['f({"a":2,"b":1})', "no call"]);
});

Deno.test("shownAnswers takes secrets out of texts before it cuts them", () => {
  assert.deepEqual(shown("x", `s3cret ${"y".repeat(386)}s3cret`), [
    "x",
    `<redacted> ${"y".repeat(386)}<re ...`,
  ]);
});
