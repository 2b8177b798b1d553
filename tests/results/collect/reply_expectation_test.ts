import assert from "node:assert/strict";
import { ErrorRateWatch } from "../../../src/results/collect/error_rate_watch.ts";
import { ReplyExpectation } from "../../../src/results/collect/reply_expectation.ts";
import { recordWith } from "../../support/records.ts";

const text = (words: string) => [new TextEncoder().encode(words)];

Deno.test("ReplyExpectation looks for the pattern anywhere in answer and tool calls", async () => {
  const expected = await ReplyExpectation.create({ pattern: "(?i)yes|no$", minTokens: 0 });
  assert.equal(expected?.problemOf(5, [text("Well, YES.")]), undefined);
  assert.equal(expected?.problemOf(5, [[undefined, ...text("say no")]]), undefined);
  assert.equal(
    expected?.problemOf(5, [text("no idea")]),
    "The reply does not match --expect-regex",
  );
  assert.equal(expected?.problemOf(5, [[]]), "The reply does not match --expect-regex");
});

Deno.test("ReplyExpectation takes a time in proportion to the text, whatever the pattern", async () => {
  // Backtracking would take longer than the universe has.
  const expected = await ReplyExpectation.create({ pattern: "^(a+)+$", minTokens: 0 });
  assert.notEqual(expected?.problemOf(5, [text(`${"a".repeat(50_000)}b`)]), undefined);
});

Deno.test("ReplyExpectation counts tokens, and holds nothing against a reply whose tokens nobody knows", async () => {
  const expected = await ReplyExpectation.create({ pattern: undefined, minTokens: 3 });
  assert.equal(expected?.problemOf(3, []), undefined);
  assert.equal(expected?.problemOf(NaN, []), undefined);
  assert.equal(
    expected?.problemOf(1, []),
    "The reply has 1 output token, fewer than --expect-min-tokens 3",
  );
  assert.equal(await ReplyExpectation.create(undefined), undefined);
});

Deno.test("ErrorRateWatch judges from twenty replies on, and forgets nothing", () => {
  const watch = new ErrorRateWatch(0.2);
  const add = (...error: [] | ["timeout" | "cancelled_on_purpose"]) =>
    watch.add(recordWith(error[0] === undefined ? {} : { error: error[0] }));
  for (let i = 0; i < 19; i++) add("timeout");
  for (let i = 0; i < 9; i++) add("cancelled_on_purpose");
  assert.equal(watch.exceeded, undefined);
  add();
  const end = {
    reason: "error_rate",
    text: "19 of 20 requests failed, more than --max-error-rate 0.2 allows",
  };
  assert.deepEqual(watch.exceeded, end);
  for (let i = 0; i < 500; i++) add();
  assert.deepEqual(watch.exceeded, end);
});
