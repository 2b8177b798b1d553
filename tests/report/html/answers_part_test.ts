import assert from "node:assert/strict";
import { driftFindings } from "../../../src/measurement/answers/drift_findings.ts";
import { AnswerTally } from "../../../src/measurement/answers/answer_tally.ts";
import type { RequestRecord } from "../../../src/measurement/metrics/request_record.ts";
import { answersPart } from "../../../src/report/html/answers_part.ts";

function countsOf(...anomalies: number[]) {
  const tally = new AnswerTally();
  for (const bits of anomalies) {
    tally.add({ anomalies: bits, errorKind: -1 } as unknown as RequestRecord);
  }
  const { counts } = tally;
  assert.ok(counts !== undefined);
  return counts;
}

Deno.test("the page shows answers that differ side by side, from before the difference", () => {
  const start = "x".repeat(500);
  const before = [`${start}<b>one`, "same"];
  const drift = driftFindings({
    prompts: [1, 2],
    before,
    under: [`${start}<b>two`, "same"],
    after: before,
  });
  const markup = answersPart({ answers: { anomalies: countsOf(0, 2), drift } });
  assert.match(markup, /drift 50\.0 % under load, 0 % without load/);
  assert.match(markup, /anomalies in 1 of 2 replies \(50\.0 %\): 1 repetition/);
  assert.match(markup, /<th scope="row">Answer Drift<\/th><td>50[.0]* %<\/td><td>-\d/);
  assert.match(
    markup,
    /<th scope="row">Replies with Anomalies<\/th><td>50[.0]* %<\/td><td>9\.\d+ % to 90\.\d+ %</,
  );
  assert.match(
    markup,
    /<td class="text">503 characters<\/td><td class="text">\.\.\. x{77}&lt;b&gt;one</,
  );
  assert.match(markup, /&lt;b&gt;two<\/td>/);
});

Deno.test("the page lists the first wrong answers by their requests", () => {
  const tally = new AnswerTally();
  for (let index = 0; index < 14; index++) {
    const record = { index, anomalies: 0, errorKind: -1, correct: index % 7 === 3 ? 1 : 0 };
    tally.add(record as unknown as RequestRecord, `JSON differs at /<${index}>`);
  }
  const { correct, wrong } = tally;
  assert.deepEqual(correct, { yes: 2, no: 12, unchecked: 0 });
  assert.deepEqual(wrong.map(({ request }) => request), [0, 1, 2, 4, 5, 6, 7, 8, 9, 11]);
  const markup = answersPart({ answers: { anomalies: countsOf(0), correct, wrong } });
  assert.match(markup, /correct 14\.3 % \(2 of 14 replies\); first wrong answer: request 0, JSON/);
  assert.match(
    markup,
    /First wrong answers.*<th scope="row">11<\/th><td class="text">JSON differs at \/&lt;11&gt;</s,
  );
});

Deno.test("the page has no part about answers where nothing was found", () => {
  assert.equal(answersPart({ answers: undefined }), "");
  assert.equal(answersPart({ answers: { anomalies: countsOf(0, 0) } }), "");
});
