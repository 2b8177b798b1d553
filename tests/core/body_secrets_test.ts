import assert from "node:assert/strict";
import { redactor } from "../../src/core/secrets/redactor.ts";
import { BodyRedactor, redactedBody, secretsOfBody } from "../../src/core/secrets/body_secrets.ts";

Deno.test("redactedBody replaces values under secrets' names, and leaves every other byte", () => {
  const bodies: readonly (readonly [body: string, redacted: string, secrets: readonly string[]])[] =
    [
      ['{"a": 1,"api_key":"sk-1"}', '{"a": 1,"api_key":"<redacted>"}', ["sk-1"]],
      [
        '{"authorization" : "Bearer a\\"b", "x":[]}',
        '{"authorization" : "<redacted>", "x":[]}',
        ['Bearer a"b'],
      ],
      [
        '{"extra":{"password":12345}}',
        '{"extra":{"password":"<redacted>"}}',
        ["12345"],
      ],
      [
        '{"credentials":{"user":"u}","list":["v]"]},"n":1}',
        '{"credentials":"<redacted>","n":1}',
        ["u}", "v]"],
      ],
    ];
  for (const [body, redacted, secrets] of bodies) {
    assert.equal(redactedBody(body), redacted);
    assert.deepEqual(secretsOfBody(body), secrets);
  }
});

Deno.test("redactedBody leaves what only looks like a key", () => {
  const bodies = [
    '{"max_tokens":5,"stop_token":"x","messages":[{"role":"user","content":"my \\"api_key\\": \\"x\\""}]}',
    '{"tools":[{"properties":{"api_key":{"type":"string","description":"d"}}}]}',
    '{"thinking":{"signature":"c2lnbmVk"}}',
    '{"api_key":null}',
    '{"api_key":',
  ];
  for (const body of bodies) {
    assert.equal(redactedBody(body), body);
    assert.deepEqual(secretsOfBody(body), []);
  }
});

Deno.test("BodyRedactor takes out the keys of the run and those of the body", () => {
  const own = new BodyRedactor(redactor(["of-the-run"]));
  assert.equal(
    own.redacted("got of-the-run and in-the-body", '{"token":"in-the-body"}'),
    "got <redacted> and <redacted>",
  );
  assert.equal(own.redacted("got in-the-body", "{}"), "got in-the-body");
});
