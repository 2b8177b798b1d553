import assert from "node:assert/strict";
import fc from "fast-check";
import { JsonSplitter } from "../../../../src/load/dataset/formats/json_elements.ts";

function split(text: string, cuts: readonly number[], field?: string): unknown[] {
  const bytes = new TextEncoder().encode(text);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const splitter = new JsonSplitter("f", field);
  const records = [0, ...places].flatMap((from, i) =>
    splitter.push(bytes.slice(from, places[i] ?? bytes.length))
  );
  splitter.end();
  return records.map(({ json }) => json);
}

const cuts = fc.array(fc.nat(10_000), { maxLength: 12 });

Deno.test("jsonSplitter finds the elements of any array, wherever it is cut", () => {
  fc.assert(fc.property(fc.array(fc.jsonValue()), cuts, fc.nat(4), (values, cuts, indent) => {
    const expected = JSON.parse(JSON.stringify(values));
    assert.deepEqual(split(JSON.stringify(values, null, indent), cuts), expected);
  }));
});

Deno.test("jsonSplitter finds the array of a field among others", () => {
  fc.assert(fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), cuts, (values, other, cuts) => {
    const expected = JSON.parse(JSON.stringify(values));
    const text = JSON.stringify({ "a": other, "b": { "data": [0] }, "data": values, "z": other });
    assert.deepEqual(split(text, cuts, "data"), expected);
  }));
});

Deno.test("jsonSplitter tells where elements are", () => {
  const [, second] = new JsonSplitter("f", undefined).push(
    new TextEncoder().encode('[\n  {"a": 1},\n    {"a":\n\n"b"}\n]'),
  );
  assert.deepEqual(second?.place, { path: "f", line: 3, column: 5 });
  assert.match(second?.error("Bad", ["a"]).message ?? "", /^f:5:1: a: Bad$/);
});

Deno.test("jsonSplitter refuses an object that has no end, and text behind its end", () => {
  const cases: [string, RegExp][] = [
    ['{"data": [1, 2]', /: f:1:16: File ends before its object does$/],
    ['{"data": [1, 2], "z": {"}": ["}"]', /File ends before its object does$/],
    ['{"data": [1, 2', /File ends before its array does$/],
    ['{"data": [1]}\n{"data": [2]}', /: f:2:1: Unexpected text after the object$/],
    ['{"data": [1], "z": "}"} x', /: f:1:25: Unexpected text after the object$/],
  ];
  for (const [text, message] of cases) {
    assert.throws(() => split(text, [], "data"), message, text);
    assert.throws(() => split(text, [9, 14], "data"), message, text);
  }
  assert.deepEqual(split('{"data": [1], "z": "}\\"}"}\n', [], "data"), [1]);
});
