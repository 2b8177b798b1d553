import assert from "node:assert/strict";
import { ERROR_KINDS, type ErrorKind } from "../../../src/client/record/error_kind.ts";
import { VERDICT } from "../../../src/client/record/verdict.ts";
import { AnswerTally } from "../../../src/measurement/answers/answer_tally.ts";
import { verdictsOf } from "../../../src/measurement/answers/answer_verdicts.ts";
import { worseVerdict } from "../../../src/measurement/answers/verdict.ts";
import type { RequestRecord } from "../../../src/measurement/metrics/request_record.ts";

/** A record with anomalies of two kinds, and with both checks failed. */
function failedChecks(error?: ErrorKind): RequestRecord {
  return {
    ...{ index: 0, anomalies: 6, correct: VERDICT.no, valid: VERDICT.no, invalidReason: 0 },
    ...{ outputTokens: NaN, reasoningTokens: NaN },
    errorKind: error === undefined ? NaN : ERROR_KINDS.indexOf(error),
  } as unknown as RequestRecord;
}

Deno.test("worseVerdict ranks a wrong reply below an unchecked one, whatever came first", () => {
  const [no, unchecked, yes] = [VERDICT.no, VERDICT.unchecked, VERDICT.yes]
    .map((outcome) => ({ outcome }));
  assert.ok(no !== undefined && unchecked !== undefined && yes !== undefined);
  assert.equal(worseVerdict(undefined, yes), yes);
  for (const [worse, better] of [[no, unchecked], [unchecked, yes], [no, yes]] as const) {
    assert.equal(worseVerdict(worse, better), worse);
    assert.equal(worseVerdict(better, worse), worse);
  }
  const first = { outcome: VERDICT.no };
  assert.equal(worseVerdict(first, no), first);
});

Deno.test("verdictsOf counts a reply with several anomalies once, and none that was cancelled", () => {
  assert.deepEqual(verdictsOf(failedChecks()), { anomalous: 1, correct: 0, valid: 0 });
  assert.deepEqual(
    verdictsOf({ ...failedChecks(), anomalies: 0, correct: VERDICT.yes, valid: VERDICT.unchecked }),
    { anomalous: 0, correct: 1, valid: NaN },
  );
  assert.equal(verdictsOf({ ...failedChecks("no_content"), anomalies: NaN }).anomalous, 1);
  assert.deepEqual(
    verdictsOf(failedChecks("cancelled")),
    { anomalous: NaN, correct: NaN, valid: NaN },
  );
});

Deno.test("AnswerTally has no verdicts on replies that were cancelled", () => {
  const tally = new AnswerTally();
  tally.add(failedChecks("cancelled"), "flaw");
  assert.deepEqual(
    [tally.correct, tally.valid, tally.invalid, tally.counts],
    [undefined, undefined, undefined, undefined],
  );
  assert.deepEqual(tally.wrong, []);
  tally.add(failedChecks(), "flaw");
  assert.deepEqual(tally.correct, { yes: 0, no: 1, unchecked: 0 });
  assert.deepEqual(tally.valid, { yes: 0, no: 1, unchecked: 0 });
  assert.deepEqual(tally.wrong, [{ request: 0, flaw: "flaw" }]);
});
