import assert from "node:assert/strict";
import { readExpected } from "../../../../src/measurement/answers/expected/read_expected.ts";

/** Values that are refused, and a part of the reason. */
const REFUSED: readonly (readonly [value: unknown, reason: RegExp])[] = [
  [42, /^Expected a text or an object, got 42$/],
  [["a"], /^Expected a text or an object, got \["a"\]$/],
  [" ", /^exact must be a text that is not empty, got " "$/],
  [{}, /^Expected one of exact, regex, .*, got \{\}$/],
  [{ exact: "a", number: 1 }, /^Expected one of .*, got exact, number$/],
  [{ exact: "a", flags: "i" }, /^Unknown key "flags" with "exact"$/],
  [{ regex: "(" }, /^regex is not valid: /],
  [{ regex: "(?ix) a b" }, /^regex is not valid: The flag x is not supported$/],
  [{ regex: "a", flags: "g" }, /^flags must be letters of "ims", got "g"$/],
  [{ regex: "a".repeat(10_001) }, /^regex must have at most 10000 characters$/],
  [{ number: "3" }, /^number must be a number, got "3"$/],
  [{ number: 3, tolerance: -1 }, /^tolerance must be a number from 0, got -1$/],
  [{ choice: "AB" }, /^choice must be one letter, got "AB"$/],
  [{ keywords: [] }, /^keywords must be a list of texts, got \[\]$/],
  [{ keywords: ["a", 1] }, /^keywords must be a text that is not empty, got 1$/],
  [{ keywords: [[]] }, /^A list of keywords must not be empty$/],
  [{ "tool_calls": {} }, /^tool_calls must be a list, got \{\}$/],
  [{ "tool_calls": [{ arguments: {} }] }, /^name of a tool call must be a text/],
  [{ "tool_calls": [{ name: "f", arguments: "{" }] }, /^arguments of f must be JSON$/],
  [
    { "tool_calls": [{ name: "f", arguments: [1] }] },
    /^arguments of f must be an object, got \[1\]$/,
  ],
  [
    { "tool_calls": [{ name: "f", args: { a: 1 } }] },
    /^Unknown key "args" in the tool call f; use "arguments"$/,
  ],
];

Deno.test("readExpected refuses what it could not compare, with the reason", () => {
  for (const [value, reason] of REFUSED) {
    assert.throws(() => readExpected(value), (error) => {
      assert.ok(error instanceof RangeError);
      assert.match(error.message, reason);
      return true;
    }, JSON.stringify(value));
  }
});

Deno.test("readExpected reads a text as an exact answer, and calls as replies have them", () => {
  assert.deepEqual(readExpected("Paris"), { exact: "Paris" });
  assert.deepEqual(readExpected({ choice: " (b) " }), { choice: "B" });
  assert.deepEqual(
    readExpected({
      "tool_calls": [{ type: "function", function: { name: "f", arguments: '{"a":1}' } }],
    }),
    { "tool_calls": [{ name: "f", arguments: { a: 1 } }] },
  );
  const calls = [{ type: "tool_use", id: "t", name: "f", input: { a: 1 } }, {
    name: "g",
    arguments: "",
  }];
  assert.deepEqual(readExpected({ "tool_calls": calls }), {
    "tool_calls": [{ name: "f", arguments: { a: 1 } }, { name: "g", arguments: {} }],
  });
});
