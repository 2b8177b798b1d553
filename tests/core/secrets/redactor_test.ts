import assert from "node:assert/strict";
import { REDACTED, redactedJson, redactor } from "../../../src/core/secrets/redactor.ts";

const KEY = "Zq7xVt9wHf3kTr5mLb2c";

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
  assert.equal(redactor(["true", "None"])("true, None"), "true, None");
});

Deno.test("redactor takes short secrets and numbers as words only", () => {
  const redact = redactor(["test", "12345678"]);
  assert.equal(redact("the test is the latest"), `the ${REDACTED} is the latest`);
  assert.equal(redact("12345678 of 1123456789 ns"), `${REDACTED} of 1123456789 ns`);
});

Deno.test("redactor takes out what base64 shares with a secret, and nothing beyond that", () => {
  const redact = redactor([KEY]);
  for (const before of ["", "a", "ab", "abc", "user:"]) {
    for (const after of ["", "x", "xy", "xyz", "wxyz"]) {
      const redacted = redact(`<${btoa(before + KEY + after)}>`);
      const [left = "", right = ""] = redacted.slice(1, -1).split(REDACTED);
      assert.equal(left, btoa(before).slice(0, Math.floor(before.length / 3) * 4), redacted);
      assert.ok(right.length <= Math.ceil(after.length * 4 / 3) + 3, redacted);
      assert.ok(btoa(before + KEY + after).endsWith(right));
    }
  }
});

Deno.test("redactor takes out the beginning of a secret where the rest is cut off", () => {
  const redact = redactor([KEY]);
  for (const mark of ["...", "…", "****", "[truncated]"]) {
    assert.equal(redact(`key ${KEY.slice(0, 9)}${mark}`), `key ${REDACTED}${mark}`);
  }
  const long = "x".repeat(1000);
  assert.equal(redact(long + KEY.slice(0, 9)), long + REDACTED);
  // In a short text, it is another word that begins alike.
  assert.equal(redact(`key ${KEY.slice(0, 9)}`), `key ${KEY.slice(0, 9)}`);
  assert.equal(redact(`key ${KEY.slice(0, 9)} and`), `key ${KEY.slice(0, 9)} and`);
});

Deno.test("redactor is fast with secrets that repeat themselves", () => {
  for (
    const secret of [
      "********",
      "a-a-a-a-a-a-a-a-a-b",
      "aaaaaaaaaaaaaaab",
      "0000000000x",
      "\\".repeat(40) + "x",
    ]
  ) {
    const text = secret.slice(0, -1).repeat(20_000);
    // It would take hours, were the patterns ambiguous.
    assert.equal(typeof redactor([secret])(text), "string");
  }
});

Deno.test("redactedJson keeps JSON what it is", () => {
  const redact = redactor([KEY, "12345678", 'quo"ted-key']);
  const json = `{"a": "x ${KEY}", "${KEY}":1.0, "n":12345678, "m":-112345678, "q":"quo\\"ted-key"}`;
  const redacted = redactedJson(json, redact);
  assert.deepEqual(JSON.parse(redacted), {
    "a": `x ${REDACTED}`,
    [REDACTED]: 1,
    "n": REDACTED,
    "m": -112345678,
    "q": REDACTED,
  });
  assert.ok(redacted.includes(`": "x`) && redacted.includes(":1.0"), "the rest is as it was");
  assert.equal(redactedJson('{"a":1.0}', redact), '{"a":1.0}');
});

Deno.test("redactor finds secrets of any length, and takes none that is too long", () => {
  for (const length of [255, 256, 257, 1000, 8192]) {
    const secret = Array.from({ length }, (_, i) => String.fromCharCode(97 + (i * i + i) % 26))
      .join("");
    const redact = redactor([secret]);
    const echoes = [secret, btoa(secret), encodeURIComponent(secret), secret.toUpperCase()];
    for (const echo of echoes) {
      const redacted = redact(`before ${echo} after`);
      assert.match(redacted, /^before (<redacted>|.{0,6})+ after$/, `${length}`);
    }
  }
});
