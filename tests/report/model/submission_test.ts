import assert from "node:assert/strict";
import { submissionOf } from "../../../src/report/model/submission.ts";

const scenario = { name: "inferencex-agentx-mvp", version: "0.13.0", isOverridden: false };
const run = { requests: { sent: 1000 }, errors: [], wasCancelled: false, seconds: 1800 };

Deno.test("submissionOf calls a run valid that keeps all locks", () => {
  assert.deepEqual(submissionOf(scenario, run).reasons, []);
  assert.ok(submissionOf(scenario, run).isValid);
});

Deno.test("submissionOf gives each reason by its limit", () => {
  const message = "This model's maximum context length is 8192 tokens";
  const reasonsOf = (changes: Partial<typeof run>) =>
    submissionOf(scenario, { ...run, ...changes }).reasons;
  assert.deepEqual(reasonsOf({ errors: [{ message, count: 10 }] as never }), []);
  assert.deepEqual(reasonsOf({ errors: [{ message, count: 11 }] as never }), [
    "context_overflow_rate_exceeded",
  ]);
  assert.deepEqual(reasonsOf({ errors: [{ message: "no", count: 101 }] as never }), [
    "failed_request_rate_exceeded",
  ]);
  assert.deepEqual(reasonsOf({ seconds: 899 }), ["duration_too_short"]);
  assert.deepEqual(reasonsOf({ wasCancelled: true }), ["cut_short"]);
  assert.deepEqual(submissionOf({ ...scenario, isOverridden: true }, run).reasons, [
    "unsafe_override",
  ]);
});
