import assert from "node:assert/strict";
import { jsonPath } from "../../../../src/client/endpoint/template/json_path.ts";

const JSON_VALUE = {
  "data": [{ "text": "a", "v": [1, 2] }, { "text": "b" }, { "other": null }],
  "a-b": { "odd name": 3 },
  "choices": [{ "delta": { "content": "hi" } }],
};

Deno.test("jsonPath finds names, indices and all entries of lists", () => {
  const found: readonly (readonly [path: string, value: unknown])[] = [
    ["data[0].text", "a"],
    ["$.data[-1].other", null],
    ["data[].text", ["a", "b"]],
    ["data[*].v[0]", [1]],
    ['a-b."odd name"', 3],
    ["choices[0].delta.content", "hi"],
    ["$['choices'][0]['delta'].content", "hi"],
    ['$["a-b"]["odd name"]', 3],
    ["data[-1]['other']", null],
    ["data[7].text", undefined],
    ["data.text", undefined],
    ["missing[].text", undefined],
    ["toString", undefined],
    ["data[].__proto__", undefined],
  ];
  for (const [path, value] of found) assert.deepEqual(jsonPath(path)(JSON_VALUE), value, path);
  assert.equal(jsonPath("[1]")(["x", "y"]), "y");
  assert.equal(jsonPath("a")(null), undefined);
});

Deno.test("jsonPath refuses what is no path", () => {
  for (
    const text of [
      "",
      "$",
      "a..b",
      "a[",
      "a[?(@.b)]",
      "length(a)",
      "a || b",
      "a.",
      "[1e9]",
      "a['']",
      "a[b]",
    ]
  ) {
    assert.throws(() => jsonPath(text), RangeError, text);
  }
});
