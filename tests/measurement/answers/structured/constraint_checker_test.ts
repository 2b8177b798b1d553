import assert from "node:assert/strict";
import { constraintText } from "../../../../src/client/endpoint/constraint/constraint_of.ts";
import { textConstraintOf } from "../../../../src/client/endpoint/constraint/text_constraint.ts";
import { VERDICT } from "../../../../src/client/record/verdict.ts";
import { randomStream } from "../../../../src/core/statistics/random_stream.ts";
import { structuredText } from "../../../../src/mock/structured_text.ts";
import { ConstraintChecker } from "../../../../src/measurement/answers/structured/constraint_checker.ts";

const checker = await ConstraintChecker.load(undefined);

interface Given {
  readonly text?: string;
  readonly calls?: readonly (readonly [name: string, argumentsText: string])[];
  readonly toolText?: string;
  readonly isCut?: boolean;
}

function check(body: Record<string, unknown>, given: Given, by = checker) {
  const { text = "", calls = [], toolText = "", isCut = false } = given;
  return by.check(constraintText(body) ?? "", {
    text,
    toolText,
    toolCalls: calls.map(([name, argumentsText]) => ({ name, argumentsText })),
    endedAtLimit: isCut,
  });
}

const PERSON = {
  "type": "object",
  "properties": {
    "name": { "type": "string", "minLength": 1 },
    "born": { "type": "string", "format": "date" },
    "tags": { "type": "array", "items": { "enum": ["a", "b"] }, "uniqueItems": true },
  },
  "required": ["name"],
  "additionalProperties": { "type": "integer" },
};
const JSON_BODY = { "guided_json": PERSON };
const ANY_JSON = { "response_format": { "type": "json_object" } };
const REGEX = { "guided_regex": "[0-9]{3}-[0-9]{4}" };
const CHOICE = { "guided_choice": ["positive", "negative"] };
const PARAMETERS = { "type": "object", "properties": { "city": { "type": "string" } } };
const TOOLS = {
  "tools": [
    { "type": "function", "function": { "name": "weather", "parameters": PARAMETERS } },
    { "type": "function", "function": { "name": "now" } },
  ],
};

type Case = readonly [
  body: Record<string, unknown>,
  given: Given,
  expected: string | undefined,
  flaw?: string,
];

const CASES: readonly Case[] = [
  [JSON_BODY, { text: ' {"name":"x"}\n' }, undefined],
  [JSON_BODY, { text: '{"name":"x","tags":["a","b"],"age":3}' }, undefined],
  [JSON_BODY, { text: '{"name":1}' }, "schema", "text at /name: must be string"],
  [JSON_BODY, { text: "{}" }, "schema", "text at the root: must have required property 'name'"],
  [JSON_BODY, { text: "[]" }, "schema", "text at the root: must be object"],
  [JSON_BODY, { text: '{"name":"x","tags":["a","c"]}' }, "schema"],
  [JSON_BODY, { text: '{"name":"x","tags":["a","a"]}' }, "schema"],
  [JSON_BODY, { text: '{"name":"x","born":"2024-02-30"}' }, "schema"],
  // A name that the reply has made up is not repeated.
  [JSON_BODY, { text: '{"name":"x","my secret":"y"}' }, "schema", "text at /*: must be integer"],
  [JSON_BODY, { text: '{"name":"x",}' }, "not_json", "text: not JSON at character 12"],
  [
    JSON_BODY,
    { text: '```json\n{"name":"x"}\n```' },
    "not_json",
    "text: not JSON at character 0",
  ],
  [JSON_BODY, { text: '{"name":"x"' }, "not_json", "text: not JSON at its end, character 11"],
  [
    JSON_BODY,
    { text: '{"name":"x"', isCut: true },
    "cut",
    "text: cut off by the token limit at its end, character 11",
  ],
  [JSON_BODY, { text: '{"name":x', isCut: true }, "not_json", "text: not JSON at character 8"],
  [JSON_BODY, { text: '{"name":1}', isCut: true }, "schema"],
  [JSON_BODY, { text: "" }, "not_json"],
  [{ "guided_json": true }, { text: "1" }, undefined],
  [{ "guided_json": { "multipleOf": 0.1 } }, { text: "0.3" }, undefined],
  [{ "guided_json": { "multipleOf": 0.1 } }, { text: "0.35" }, "schema"],
  [{ "guided_json": { "minimum": 5, "exclusiveMinimum": true } }, { text: "5" }, "schema"],
  [{ "guided_json": { "maximum": 5, "exclusiveMaximum": true } }, { text: "4.9" }, undefined],
  [{ "guided_json": { "maximum": 5, "exclusiveMaximum": false } }, { text: "5" }, undefined],
  [ANY_JSON, { text: '{"a":[1]}' }, undefined],
  [ANY_JSON, { text: "17" }, "schema"],
  [REGEX, { text: "123-4567" }, undefined],
  [REGEX, { text: "12a-4567" }, "regex", "text does not match the regex at character 2"],
  [REGEX, { text: "123-45678" }, "regex", "text does not match the regex at character 8"],
  [REGEX, { text: " 123-4567" }, "regex", "text does not match the regex at character 0"],
  [REGEX, { text: "123-", isCut: true }, "cut"],
  [REGEX, { text: "12a", isCut: true }, "regex"],
  [{ "guided_regex": "(?P<year>\\d{4})\\Z" }, { text: "2024" }, undefined],
  [{ "guided_regex": "^\\w+$" }, { text: "über" }, undefined],
  [{ "guided_regex": "\\d+\\s€?" }, { text: "12 €" }, undefined],
  [{ "guided_regex": "\\d+\\s€?" }, { text: "12 " }, undefined],
  [
    { "guided_regex": "\\d+ €" },
    { text: "1x €" },
    "regex",
    "text does not match the regex at character 1",
  ],
  [{ "guided_regex": "\\u0041{,2}" }, { text: "AA" }, undefined],
  [CHOICE, { text: "negative" }, undefined],
  [CHOICE, { text: "negatory" }, "choice", "text is none of the choices at character 5"],
  [CHOICE, { text: "nega", isCut: true }, "cut"],
  [CHOICE, { text: "nega" }, "choice", "text is none of the choices at character 4"],
  [TOOLS, { text: "It rains." }, undefined],
  [TOOLS, { calls: [["weather", '{"city":"Bonn"}'], ["now", ""]] }, undefined],
  [
    TOOLS,
    { calls: [["weather", '{"city":1}']] },
    "arguments_schema",
    "arguments of weather at /city: must be string",
  ],
  [TOOLS, { calls: [["now", "{}"], ["weather", '{"city"']] }, "arguments_not_json"],
  [TOOLS, { calls: [["weather", '{"city"']], isCut: true }, "cut"],
  [
    TOOLS,
    { calls: [["weather", '{"city"'], ["now", "{}"]], isCut: true },
    "arguments_not_json",
    "arguments of weather: not JSON at its end, character 7",
  ],
  [TOOLS, { calls: [["now", "[]"]] }, "arguments_schema"],
  [TOOLS, { calls: [["rain", "{}"]] }, "wrong_tool"],
  [TOOLS, { calls: [["wea", ""]], isCut: true }, "cut"],
  [{ ...TOOLS, "tool_choice": "none" }, { calls: [["now", "{}"]] }, "unasked_call"],
  [{ ...TOOLS, "tool_choice": "none" }, { text: "no" }, undefined],
  [{ ...TOOLS, "tool_choice": "required" }, { text: "no" }, "no_call"],
  [{ ...TOOLS, "tool_choice": "required" }, { text: "no", isCut: true }, "cut"],
  [
    { ...TOOLS, "tool_choice": { "type": "function", "function": { "name": "now" } } },
    { calls: [["weather", "{}"]] },
    "wrong_tool",
    "call 1 is of a tool that the request does not allow",
  ],
  [
    { ...TOOLS, "parallel_tool_calls": false },
    { calls: [["now", "{}"], ["now", "{}"]] },
    "unasked_call",
  ],
  [{ ...TOOLS, "functions": [{ "name": "f" }] }, { toolText: 'f{"a":1}' }, undefined],
  [{ "functions": [{ "name": "f" }] }, { toolText: 'f{"a":' }, "arguments_not_json"],
  // A reply with tool calls need not have a text; one that has it must keep to its form.
  [{ ...TOOLS, ...ANY_JSON }, { calls: [["now", "{}"]] }, undefined],
  [{ ...TOOLS, ...ANY_JSON }, { calls: [["now", "{}"]], text: "then" }, "not_json"],
  [{ ...TOOLS, ...ANY_JSON }, { text: "" }, "not_json"],
];

for (const [body, given, reason, flaw] of CASES) {
  const name = `${JSON.stringify(body).slice(0, 60)}: ${JSON.stringify(given)}`;
  Deno.test(`ConstraintChecker finds ${reason ?? "no flaw"}: ${name}`, () => {
    const verdict = check(body, given);
    assert.equal(verdict.reason, reason);
    assert.equal(verdict.outcome, reason === undefined ? VERDICT.yes : VERDICT.no);
    if (flaw !== undefined) assert.equal(verdict.flaw, flaw);
  });
}

Deno.test("ConstraintChecker reads each draft of JSON Schema", () => {
  const tuple = [{ "type": "integer" }, { "type": "string" }];
  const drafts: readonly Record<string, unknown>[] = [
    { "$schema": "http://json-schema.org/draft-07/schema#", "$id": "x", "items": tuple },
    { "$schema": "https://json-schema.org/draft/2019-09/schema", "items": tuple },
    { "$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": tuple },
    { "items": tuple },
    { "prefixItems": tuple },
    { "$defs": { "pair": { "prefixItems": tuple } }, "$ref": "#/$defs/pair" },
    { "definitions": { "pair": { "items": tuple } }, "allOf": [{ "$ref": "#/definitions/pair" }] },
    { "prefixItems": tuple, "nullable": true, "dependentRequired": { "items": ["x"] } },
    { "$id": "x", "prefixItems": tuple, "x-unknown": true, "format": "no-such-format" },
  ];
  for (const schema of drafts) {
    const body = { "guided_json": schema };
    assert.equal(check(body, { text: '[1,"a"]' }).outcome, VERDICT.yes, JSON.stringify(schema));
    assert.equal(check(body, { text: '["a",1]' }).reason, "schema", JSON.stringify(schema));
  }
});

Deno.test("ConstraintChecker follows references to the whole schema", () => {
  const tree = { "type": "object", "required": ["v"], "properties": { "next": { "$ref": "#" } } };
  const body = { "guided_json": tree };
  assert.equal(check(body, { text: '{"v":1,"next":{"v":2}}' }).outcome, VERDICT.yes);
  const flaw = "text at /next/next: must have required property 'v'";
  assert.equal(check(body, { text: '{"v":1,"next":{"v":2,"next":{}}}' }).flaw, flaw);
});

Deno.test("ConstraintChecker takes no pattern's time", () => {
  const text = `${"a".repeat(5000)}!`;
  assert.equal(
    check({ "guided_regex": "(a+)+$" }, { text }).flaw,
    "text does not match the regex at character 5000",
  );
  const schema = {
    "properties": { "x": { "pattern": "^(a+)+$" } },
    "patternProperties": { "(b|b)*$": {} },
  };
  const reply = { text: JSON.stringify({ "x": text }) };
  assert.equal(check({ "guided_json": schema }, reply).reason, "schema");
});

/** A list of lists, each of which has at least one item; the alternatives double the work at each depth. */
function nestedLists(reference: Record<string, unknown>): Record<string, unknown> {
  const list = { "type": "array", "items": reference, "minItems": 1 };
  return { "anyOf": [list, list] };
}

Deno.test("ConstraintChecker gives up schemas that take too many steps", () => {
  const recursive = [
    { "$defs": { "node": nestedLists({ "$ref": "#/$defs/node" }) }, "$ref": "#/$defs/node" },
    nestedLists({ "$ref": "#" }),
    { "items": [], ...nestedLists({ "$ref": "#" }) },
    { "$dynamicAnchor": "node", ...nestedLists({ "$dynamicRef": "#node" }) },
    {
      "$schema": "https://json-schema.org/draft/2019-09/schema",
      "$recursiveAnchor": true,
      ...nestedLists({ "$recursiveRef": "#" }),
    },
  ];
  const lists = (depth: number, inner: string) =>
    `${"[".repeat(depth)}${inner}${"]".repeat(depth)}`;
  for (const schema of recursive) {
    const body = { "guided_json": schema };
    const { flaw, outcome } = check(body, { text: lists(40, "[]") });
    assert.equal(outcome, VERDICT.unchecked, JSON.stringify(schema));
    assert.equal(flaw, "the schema takes too many steps");
    assert.equal(check(body, { text: lists(3, "[]") }).reason, "schema");
    assert.equal(check(body, { text: "[" }).reason, "not_json");
  }
});

Deno.test("ConstraintChecker leaves unchecked what it cannot check, and says why", () => {
  const flawOf = (body: Record<string, unknown>, text: string) => {
    const { outcome, reason, flaw } = check(body, { text });
    assert.deepEqual([outcome, reason], [VERDICT.unchecked, undefined]);
    return flaw;
  };
  assert.equal(flawOf({ "guided_grammar": "root ::= x" }, "x"), "a grammar is not checked");
  const parameters = { "$ref": "#/nowhere" };
  const tools = { "tools": [{ "function": { "name": "f", "parameters": parameters } }] };
  for (let time = 0; time < 2; time++) {
    const { flaw, outcome } = check(tools, { calls: [["f", "{}"]] });
    assert.equal(outcome, VERDICT.unchecked);
    assert.match(flaw ?? "", /can't resolve reference #\/nowhere/);
  }
  assert.match(
    flawOf({ "guided_json": { "$ref": "https://example.com/x" } }, "1") ?? "",
    /reference/,
  );
  assert.match(flawOf({ "guided_regex": "(" }, "x") ?? "", /pattern cannot be read/);
  assert.match(flawOf({ "guided_regex": "(?=a)a" }, "a") ?? "", /RE2 does not support/);
});

Deno.test("ConstraintChecker leaves patterns that RE2 refuses to another thread", async () => {
  const asked: string[] = [];
  const foreign = await ConstraintChecker.load({
    test(pattern: string, flags: string, text: string) {
      asked.push(pattern);
      return new RegExp(pattern, flags).test(text);
    },
  });
  const body = { "guided_regex": "(?P<q>['\"])(?=x).*(?P=q)\\Z" };
  assert.equal(check(body, { text: "'x'" }, foreign).outcome, VERDICT.yes);
  assert.equal(check(body, { text: "'x\"" }, foreign).reason, "regex");
  assert.equal(
    check({ "guided_regex": "(?=a)a{,2}" }, { text: "aa" }, foreign).outcome,
    VERDICT.yes,
  );
  assert.deepEqual([...new Set(asked)].slice(0, 1), ["^(?:(?<q>['\"])(?=x).*\\k<q>$)$"]);
  const schema = { "guided_json": { "pattern": "^(?!a)" } };
  assert.equal(check(schema, { text: '"b"' }, foreign).outcome, VERDICT.yes);
  assert.equal(check(schema, { text: '"a"' }, foreign).reason, "schema");
});

Deno.test("10,000 clean replies raise no alarm", () => {
  const texts: readonly Record<string, unknown>[] = [
    JSON_BODY,
    ANY_JSON,
    REGEX,
    CHOICE,
    { "guided_json": { "type": "array", "items": { "type": "number" }, "uniqueItems": true } },
    { "guided_json": { "anyOf": [{ "type": "string", "format": "email" }, { "type": "null" }] } },
    { "guided_regex": "(\\d{1,3}\\.){3}\\d{1,3}" },
    { "guided_regex": "\\s*(?:[A-Z]\\w+ ){2,5}[^a-z]" },
  ];
  for (let number = 0; number < 10_000; number++) {
    const body = texts[number % texts.length] as Record<string, unknown>;
    const constraint = textConstraintOf(body);
    assert.ok(constraint);
    const text = structuredText(constraint, randomStream(number, "test"));
    assert.equal(
      check(body, { text: text ?? "" }).flaw,
      undefined,
      `${JSON.stringify(body)} ${text}`,
    );
  }
});
