import assert from "node:assert/strict";
import { REDACTED, redactor } from "../../src/secrets/redactor.ts";

Deno.test("redactor replaces secrets wherever they stand, in URLs and JSON too", () => {
  const redact = redactor(['p@ss w"rd', "sk-12", "sk-1234"]);
  assert.equal(redact("key sk-1234!"), `key ${REDACTED}!`);
  assert.equal(redact("key sk-12."), `key ${REDACTED}.`);
  assert.equal(redact(`http://u:${encodeURIComponent('p@ss w"rd')}@x`), `http://u:${REDACTED}@x`);
  assert.equal(redact(JSON.stringify({ a: 'p@ss w"rd' })), `{"a":"${REDACTED}"}`);
});

Deno.test("redactor leaves texts alone when there is nothing secret, or too little of it", () => {
  assert.equal(redactor([])("as it is"), "as it is");
  assert.equal(redactor(["abc"])("abc"), "abc");
});
