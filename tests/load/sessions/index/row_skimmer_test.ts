import assert from "node:assert/strict";
import { RowSkimmer } from "../../../../src/load/sessions/index/row_skimmer.ts";
import { FieldChoice } from "../../../../src/load/sessions/model/field_choice.ts";

const part = new FieldChoice({ "key": true, "value": true }, { field: "key", text: "x" });
const choice = new FieldChoice({ "a": true, "parts": part, "in": new FieldChoice({ "a": true }) });

/** Returns what is read of a row; undefined if it is left to JSON.parse. */
function read(text: string): unknown {
  const line = new TextEncoder().encode(`${text}\n`);
  const bytes = new Uint8Array(Math.ceil(line.length / 4) * 4);
  bytes.set(line);
  const skimmer = new RowSkimmer();
  skimmer.open(bytes, line.length);
  const end = skimmer.read(0, choice);
  if (end >= 0) assert.equal(end, line.length - 1);
  return end < 0 ? undefined : skimmer.value;
}

const PLAIN: readonly (readonly [name: string, row: string, fields: Record<string, unknown>])[] = [
  ["no field that is needed", '{"b": [1, {"a": "\\"}"}]}', {}],
  ["escapes in values", '{"a": "é \\n\\u0041", "b": "\\u0041"}', { "a": "é \nA" }],
  ["a name twice", '{"a": 1, "b": 2, "a": null}', { "a": undefined }],
  ["numbers of many digits", '{"a": [9007199254740993, -0, 1.5e3]}', {
    "a": [9007199254740992, -0, 1500],
  }],
  ["a whole value with nulls", '{"a": {"b": null, "c": [null]}}', {
    "a": { "c": [null] },
  }],
  ["fields within fields", '{"in": {"b": 1, "a": true}}', { "in": { "a": true } }],
  ["elements that are not taken", '{"parts": [{"key": "y", "value": {}}, 5, {"key": "x"}]}', {
    "parts": [{ "key": "x" }],
  }],
];

for (const [name, row, fields] of PLAIN) {
  Deno.test(`RowSkimmer reads a row with ${name}`, () => assert.deepEqual(read(row), fields));
}

const LEFT: readonly (readonly [name: string, row: string])[] = [
  ["another value", "[1]"],
  ["escapes in a name", '{"\\u0061": 1}'],
  ["two keys of an element that is not taken", '{"parts": [{"key": "y", "key": "x"}]}'],
  ["no end", '{"a": 1, "b": [1, 2}'],
  ["a broken value that is not needed", '{"a": 1, "b": [01]}'],
  ["a broken escape", '{"b": "\\u00g0"}'],
  ["very deep lists", `{"b": ${"[".repeat(200)}${"]".repeat(200)}}`],
];

for (const [name, row] of LEFT) {
  Deno.test(`RowSkimmer leaves a row with ${name}`, () => assert.equal(read(row), undefined));
}
