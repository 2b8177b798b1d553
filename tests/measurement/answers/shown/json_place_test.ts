import assert from "node:assert/strict";
import { jsonPlace } from "../../../../src/measurement/answers/shown/json_place.ts";

const TEXT =
  ` { "a,}" : [ 1, {"b\\u0041": "x]\\"", "c/~": [ ] }, 3 ], "d": {"": true}, "d": null }`;

/** The text from the place that a pointer names. */
const from = (pointer: string, text = TEXT) => text.slice(jsonPlace(text, pointer));

Deno.test("jsonPlace finds values behind brackets, commas and escapes", () => {
  assert.equal(from(""), TEXT.slice(1));
  assert.match(from("/a,}"), /^\[ 1/);
  assert.match(from("/a,}/0"), /^1/);
  assert.match(from("/a,}/1"), /^\{"b/);
  assert.match(from("/a,}/1/bA"), /^"x\]/);
  assert.match(from("/a,}/1/c~1~0"), /^\[ \]/);
  assert.match(from("/a,}/2"), /^3 \]/);
});

Deno.test("jsonPlace takes the last of equal names, as JSON.parse does", () => {
  assert.match(from("/d"), /^null/);
});

Deno.test("jsonPlace finds the innermost value around one that is missing", () => {
  assert.match(from("/a,}/7"), /^\[ 1/);
  assert.match(from("/a,}/1/other/deeper"), /^\{"b/);
  assert.equal(from("/x", "12"), "12");
});
