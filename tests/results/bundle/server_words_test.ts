import assert from "node:assert/strict";
import { ServerWords } from "../../../src/results/bundle/server_words.ts";

const QUOTED = "Cannot read the prompt: Confidential file of Jane Roe";

Deno.test("ServerWords replaces the message of an error wherever a line has it", () => {
  const error = { "code": 422, "type": "Bad {x}", "details": { "a": 1 }, "message": QUOTED };
  const lines = [
    JSON.stringify({ "metadata": {}, error }),
    // As Python writes it.
    `{"metadata": {}, "error": {"code": 422, "message": ${JSON.stringify(QUOTED)}}}`,
    JSON.stringify({ error, "metadata": { "message": "a message of something else" } }),
  ].join("\n");
  const replaced = new ServerWords().withoutWordsInLines(lines);
  assert.doesNotMatch(replaced, /Jane Roe|Cannot read/);
  const [first, second, third] = replaced.split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(first.error, { ...error, "message": "HTTP 422" });
  assert.equal(second.error.message, "HTTP 422");
  assert.equal(third.metadata.message, "a message of something else");
});

Deno.test("ServerWords replaces finish reasons that may be texts, with blanks or without", () => {
  const words = new ServerWords();
  for (const blank of ["", " "]) {
    const line = (reason: string) => `{"finish_reason":${blank}${JSON.stringify(reason)}}`;
    assert.equal(words.withoutWordsInLines(line("stop")), line("stop"));
    assert.equal(words.withoutWordsInLines(line("Jane Roe asked")), line("other"));
  }
});

Deno.test("ServerWords keeps the client's own words", () => {
  const line = '{"error":{"code":null,"type":"timeout","message":"No reply within 1 s"}}';
  assert.equal(new ServerWords().withoutWordsInLines(line), line);
});
