import assert from "node:assert/strict";
import fc from "fast-check";
import { BUILTIN } from "../../../support/builtin.ts";

Deno.test("BuiltinTokenizer encodes texts into as many tokens as it counts", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
    const ids = BUILTIN.encode(text);
    assert.equal(ids.length, BUILTIN.count(text));
    assert.ok(ids.every((id) => id >= 0));
  }));
  assert.deepEqual(BUILTIN.encode("the cat, the cat").slice(0, 2), [3086, 9059]);
});

Deno.test("BuiltinTokenizer gives equal pieces of text equal tokens", () => {
  const [first, ...rest] = BUILTIN.encode(" parser parser parser");
  assert.deepEqual(rest, [first, first]);
});
