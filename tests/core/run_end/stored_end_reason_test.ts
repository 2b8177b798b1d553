import assert from "node:assert/strict";
import fc from "fast-check";
import { END_REASON_NAMES, type EndReason } from "../../../src/core/run_end/end_reason.ts";
import { reasonOfSentence, storedEndReason } from "../../../src/core/run_end/stored_end_reason.ts";

/** Sentences of version 0.1.0, each with a place for what a server or a file said. */
const SENTENCES: Readonly<Partial<Record<EndReason, (said: string) => string>>> = {
  "error_rate": () => "18 of 20 requests failed, more than --max-error-rate 0.1 allows",
  "too_late": () => "it began too late, 1201 ms later than agreed: more than --max-late 1 s allows",
  "input_unreadable": (said) => `the input file cannot be read on: a.jsonl:201:1: ${said}`,
  "all_refused": (said) =>
    `the first 10 requests were all refused, the last one with HTTP 401: ${said} (check --api-key)`,
  "unreachable": (said) =>
    `the server was unreachable for 10 s, in 12 attempts in a row, the last one with ${said}`,
  "slo_unreachable": () =>
    "time_to_first_token.p99 < 200 ms cannot be met any more after 120 requests, however good the rest is",
};

/** Any words, and those of our own sentences, which a server may well say. */
const SAID = fc.oneof(
  fc.string(),
  fc.constantFrom(...Object.values(SENTENCES).map((sentence) => sentence("no"))),
);

function stored(code: unknown, text: unknown = null, wasCancelled: unknown = false) {
  return storedEndReason({ code, text, wasCancelled });
}

Deno.test("storedEndReason takes a code that it knows, whatever the sentence says", () => {
  for (const name of END_REASON_NAMES) assert.equal(stored(name), name);
  assert.equal(stored("out_of_cheese"), "unknown");
  assert.equal(stored(5), "unknown");
  fc.assert(fc.property(SAID, fc.boolean(), (text, wasCancelled) => {
    assert.equal(stored("disk", text, wasCancelled), "disk");
    assert.equal(stored(null, text, wasCancelled), undefined);
  }));
});

Deno.test("storedEndReason derives the code of a file that has none", () => {
  for (const [reason, sentence] of Object.entries(SENTENCES)) {
    for (const before of ["", "in the warm-up "]) {
      assert.equal(stored(undefined, before + sentence("no")), reason);
    }
  }
  assert.equal(stored(undefined, SENTENCES.error_rate?.(""), true), "error_rate");
  assert.equal(stored(undefined, null, true), "interrupted");
  assert.equal(stored(undefined, undefined, undefined), undefined);
  assert.equal(stored(undefined, "nobody was there"), "unknown");
});

Deno.test("reasonOfSentence is not moved by what a server said", () => {
  const sentences = Object.entries(SENTENCES);
  fc.assert(fc.property(fc.constantFrom(...sentences), SAID, ([reason, sentence], said) => {
    assert.equal(reasonOfSentence(sentence(said)), reason);
  }));
  // Where our own words are not at the beginning, they are somebody else's.
  for (const [, sentence] of sentences) {
    assert.equal(reasonOfSentence(`HTTP 500: ${sentence("no")}`), "unknown");
  }
});
