import assert from "node:assert/strict";
import type { ScenarioPlan } from "../../../src/config/plan/agents_plan.ts";
import { submissionOf, type SubmittedRun } from "../../../src/report/model/submission.ts";

const scenario: ScenarioPlan = {
  name: "inferencex-agentx-mvp",
  version: "0.13.0",
  isOverridden: false,
  isDatasetApproved: true,
  limits: {
    leastSeconds: 900,
    maxOverflowShare: 0.01,
    maxFailedShare: 0.1,
    mayWrap: false,
    hasExactLengths: true,
    outputBand: { min: 0.9, max: 1.1 },
  },
};
const run: SubmittedRun = {
  requests: { sent: 1000 },
  errors: [],
  isCutShort: false,
  seconds: 1800,
  window: "run",
  lengthMismatch: { checked: 1000, mismatched: 10, isComparable: true },
  outputShare: 1,
  hasWrapped: false,
  isOwnErrorExceeded: false,
};

Deno.test("submissionOf calls a run valid that keeps all locks", () => {
  assert.deepEqual(submissionOf(scenario, run).reasons, []);
  assert.ok(submissionOf(scenario, run).isValid);
});

Deno.test("submissionOf gives each reason by its limit", () => {
  const message = "This model's maximum context length is 8192 tokens";
  const reasonsOf = (changes: Partial<SubmittedRun>, of: Partial<ScenarioPlan> = {}) =>
    submissionOf({ ...scenario, ...of }, { ...run, ...changes }).reasons;
  assert.deepEqual(reasonsOf({ errors: [{ message, count: 10 }] }), []);
  assert.deepEqual(reasonsOf({ errors: [{ message, count: 11 }] }), [
    "context_overflow_rate_exceeded",
  ]);
  assert.deepEqual(reasonsOf({ errors: [{ message: "no", count: 101 }] }), [
    "failed_request_rate_exceeded",
  ]);
  assert.deepEqual(reasonsOf({ seconds: 899 }), ["duration_too_short"]);
  assert.deepEqual(reasonsOf({ isCutShort: true }), ["cut_short"]);
  const lengthMismatch = { checked: 1000, mismatched: 11, isComparable: false };
  assert.deepEqual(reasonsOf({ lengthMismatch }), ["length_mismatch"]);
  assert.deepEqual(reasonsOf({ outputShare: 1.11 }), ["output_length_outside_band"]);
  assert.deepEqual(reasonsOf({ outputShare: 1.1 }), []);
  assert.deepEqual(reasonsOf({ outputShare: 0.9 }), []);
  assert.deepEqual(reasonsOf({ outputShare: 0.89 }), ["output_length_outside_band"]);
  assert.deepEqual(reasonsOf({ outputShare: NaN }), []);
  assert.deepEqual(reasonsOf({ hasWrapped: true }), ["corpus_wrapped"]);
  assert.deepEqual(reasonsOf({ isOwnErrorExceeded: true }), ["own_error_exceeded"]);
  assert.deepEqual(reasonsOf({}, { isOverridden: true }), ["unsafe_override"]);
  assert.deepEqual(reasonsOf({}, { isDatasetApproved: false }), ["dataset_not_approved"]);
  const free = { ...scenario.limits, mayWrap: true, hasExactLengths: false };
  assert.deepEqual(reasonsOf({ lengthMismatch, hasWrapped: true }, { limits: free }), []);
});
