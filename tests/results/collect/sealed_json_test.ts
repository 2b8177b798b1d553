import assert from "node:assert/strict";
import fc from "fast-check";
import { isSealBroken, sealedJson } from "../../../src/results/collect/sealed_json.ts";

const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const SAMPLE = textOf({ a: 1, note: 'say "checksum": "no"', list: [{ checksum: "1" }] });

Deno.test("sealedJson adds one property, and is whole", () => {
  const sealed = sealedJson(SAMPLE);
  const { checksum, ...rest } = JSON.parse(sealed);
  assert.match(checksum, /^[0-9a-f]{8}$/);
  assert.deepEqual(rest, JSON.parse(SAMPLE));
  assert.equal(Object.keys(JSON.parse(sealed)).at(-1), "checksum");
  assert.equal(isSealBroken(sealed), false);
});

Deno.test("a seal is broken by every change of what is before it, and of itself", () => {
  fc.assert(fc.property(fc.nat(), fc.integer({ min: 1, max: 127 }), (place, change) => {
    const sealed = sealedJson(SAMPLE);
    const value = sealed.lastIndexOf('"checksum"') + '"checksum": "'.length;
    const at = place % (SAMPLE.length - 3 + 8);
    // One of the text, or of the checksum itself.
    const changed = at < SAMPLE.length - 3 ? at : value + at - (SAMPLE.length - 3);
    const code = sealed.charCodeAt(changed) ^ change;
    const other = sealed.slice(0, changed) + String.fromCharCode(code) + sealed.slice(changed + 1);
    fc.pre(changed < value || !'"\n'.includes(String.fromCharCode(code)));
    assert.equal(isSealBroken(other), true, other);
  }));
});

Deno.test("a text without a seal is none that was changed", () => {
  assert.equal(isSealBroken(SAMPLE), false);
  assert.equal(isSealBroken(""), false);
  // As another program writes it again.
  assert.equal(isSealBroken(JSON.stringify(JSON.parse(sealedJson(SAMPLE)))), false);
});
