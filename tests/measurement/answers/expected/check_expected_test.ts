import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { VERDICT } from "../../../../src/client/record/verdict.ts";
import {
  type CheckedReply,
  checkExpected,
} from "../../../../src/measurement/answers/expected/check_expected.ts";
import type { Expected } from "../../../../src/measurement/answers/expected/expected.ts";
import { readExpected } from "../../../../src/measurement/answers/expected/read_expected.ts";
import type { PatternTester } from "../../../../src/measurement/answers/patterns/pattern_tester.ts";

/** Tests patterns in this thread: those of the cases are harmless. */
const PATTERNS: PatternTester = {
  test: (pattern, flags, text) => new RegExp(pattern, flags).test(text),
};

function replyOf(text: string, reply: Partial<CheckedReply> = {}): CheckedReply {
  return { text, toolText: "", toolCalls: [], endedAtLimit: false, ...reply };
}

function outcome(expected: unknown, reply: CheckedReply): string {
  const { outcome, flaw } = checkExpected(readExpected(expected), reply, PATTERNS);
  return outcome === VERDICT.yes ? "right" : outcome === VERDICT.no ? `${flaw}` : `? ${flaw}`;
}

/** An expected answer, a reply, and the verdict. */
const CASES: readonly (readonly [expected: unknown, reply: string, verdict: string])[] = [
  ["Paris", "  Paris\n", "right"],
  ["a\nb", "a\r\nb", "right"],
  ["Paris", "paris", "another text than expected"],
  ["Paris", "<think>It may be Rome.</think>\nParis", "right"],
  [{ exact: " 42 " }, "42", "right"],
  [{ regex: "^\\d{4}$" }, " 2024 ", "right"],
  [{ regex: "yes", flags: "i" }, "Well, YES.", "right"],
  [{ regex: "^no" }, "yes", "no match of the regex"],
  [{ number: 3.14, tolerance: 0.01 }, "It is 3.1415.", "right"],
  [{ number: 3.14 }, "It is 3.1415.", "another number than expected"],
  [{ number: 0.3 }, "0.1 + 0.2 = 0.30000000000000004", "right"],
  [{ number: 5 }, "no idea", "no number found"],
  [{ choice: "b" }, "The answer is (B).", "right"],
  [{ choice: "(C)" }, "B", "another choice than expected"],
  [{ choice: "A" }, "a bit of both", "no choice found"],
  [{ json: { a: [1, 2.0], b: null } }, '{"b": null, "a": [1.0, 2]}', "right"],
  [{ json: { a: 1 } }, 'Here:\n```json\n{"a": 1}\n```\nDone.', "right"],
  [{ json: { a: { "x/y": 1 } } }, '{"a": {"x/y": 2}}', "JSON differs at /a/x~1y"],
  [{ json: [1] }, "[1, 2]", "JSON differs at its root"],
  [{ json: { a: 1 } }, '{"a": 1, "b": 2}', "JSON differs at /*"],
  [{ json: {} }, "{", "no JSON found"],
  [{ json: null }, "null", "right"],
  [{ keywords: ["paris", "SEINE"] }, "Paris lies on the Seine", "right"],
  [{ keywords: ["paris", ["seine", "river"]] }, "Paris has a River", "right"],
  [{ keywords: ["paris", "rome"] }, "Paris", "keyword 2 of 2 is missing"],
  [{ keywords: ["Zürich"] }, "ZU\u0308RICH", "right"],
  [{ keywords: ["straße", "ΣΑΣ"] }, "STRASSE, σας", "right"],
  [{ keywords: ["New York", "it's"] }, "It’s new\n  york", "right"],
  [{ exact: "Zu\u0308rich" }, "Zürich", "right"],
  [{ number: 7 }, "1/0", "another number than expected"],
  [{ number: 7 }, "1e999", "another number than expected"],
  [{ json: { a: 1 } }, 'So: ```json {"a": 1.0}```', "right"],
  [{ json: { a: 1 } }, 'So:\n~~~json\n{"a": 1}\n~~~', "right"],
];

Deno.test("checkExpected compares a reply by the kind of its expected answer", () => {
  for (const [expected, text, verdict] of CASES) {
    assert.equal(outcome(expected, replyOf(text)), verdict, `${JSON.stringify(expected)}: ${text}`);
  }
});

Deno.test("checkExpected compares tool calls by name and arguments, in any order", () => {
  const call = (name: string, argumentsText: string) => ({ name, argumentsText });
  const expected = {
    "tool_calls": [
      { name: "read", arguments: { path: "a", lines: [1, 2] } },
      { function: { name: "now", arguments: "{}" } },
    ],
  };
  const read = call("read", '{"lines": [1, 2], "path": "a"}');
  const of = (...toolCalls: CheckedReply["toolCalls"]) =>
    outcome(expected, replyOf("", { toolCalls }));
  assert.equal(of(call("now", ""), read), "right");
  assert.equal(of(read), "expected tool call 2 is missing");
  assert.equal(of(read, call("now", "{}"), read), "3 tool calls, 2 were expected");
  assert.equal(
    of(call("read", '{"path": "b", "lines": [1, 2]}'), call("now", "{}")),
    "arguments of expected tool call 1 differ at /path",
  );
  assert.equal(
    of(call("read", '{"path'), call("now", "{}")),
    "arguments of expected tool call 1 differ at their root",
  );
  // A reply without a list of calls: names and arguments one after another.
  assert.equal(
    outcome(expected, replyOf("", { toolText: 'now{}read{"path":"a","lines":[1,2]}' })),
    "right",
  );
  assert.equal(outcome({ "tool_calls": [] }, replyOf("No call.")), "right");
});

Deno.test("checkExpected names the token limit of a wrong reply, and patterns that were not tested", () => {
  assert.equal(
    outcome("Paris", replyOf("Par", { endedAtLimit: true })),
    "another text than expected; the token limit cut the reply off",
  );
  const { outcome: untested } = checkExpected({ regex: "(a+)+$" }, replyOf("aaa"), {
    test: () => undefined,
  });
  assert.equal(untested, VERDICT.unchecked);
});

Deno.test("checkExpected finds any JSON value equal to itself in other orders of its keys", () => {
  fc.assert(fc.property(fc.jsonValue(), (json) => {
    const expected: Expected = { json };
    const shuffled = JSON.stringify(
      json,
      (_, value) =>
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).reverse())
          : value,
    );
    assert.equal(checkExpected(expected, replyOf(shuffled), undefined).outcome, VERDICT.yes);
  }));
});
