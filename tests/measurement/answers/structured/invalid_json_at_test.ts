import assert from "node:assert/strict";
import fc from "fast-check";
import { invalidJsonAt } from "../../../../src/measurement/answers/structured/invalid_json_at.ts";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

Deno.test("invalidJsonAt finds the first character that cannot belong to JSON", () => {
  const places: readonly (readonly [text: string, at: number | undefined])[] = [
    ['{"a":[1,2.5e3,true,null]}', undefined],
    [" 1 ", undefined],
    ["", 0],
    ["hello", 0],
    ['{"a":1,}', 7],
    ["[1,]", 3],
    ["{,}", 1],
    ['{"a" 1}', 5],
    ["[01]", 2],
    ["[1.]", 3],
    ["[1e]", 3],
    ["[-x]", 2],
    ["[trux]", 4],
    ["[falsy]", 5],
    ['"a\\q"', 3],
    ['"a\nb"', 2],
    ['{"a":1', 6],
    ['"a\\u12', 6],
    ["{} {}", 3],
    ["[[}", 2],
  ];
  for (const [text, at] of places) assert.equal(invalidJsonAt(text), at, text);
});

Deno.test("invalidJsonAt agrees with JSON.parse about JSON, its beginnings, and broken JSON", () => {
  fc.assert(fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (text, place, put) => {
    assert.equal(invalidJsonAt(text), undefined);
    const at = place % (text.length + 1);
    const start = text.slice(0, at);
    if (!isJson(start)) assert.equal(invalidJsonAt(start), start.length);
    const broken = start + put + text.slice(at);
    const found = invalidJsonAt(broken);
    assert.equal(found === undefined, isJson(broken), broken);
    if (found !== undefined) assert.ok(found >= Math.min(at, broken.length) || put === "", broken);
  }));
});
