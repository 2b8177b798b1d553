import assert from "node:assert/strict";
import fc from "fast-check";
import { JsonSplitter } from "../../../src/dataset/formats/json_elements.ts";

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
