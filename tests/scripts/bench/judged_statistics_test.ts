import assert from "node:assert/strict";
import {
  isFalselyValid,
  isTrulyGood,
  judgeStatistics,
  type ReportedJson,
  type Verdict,
} from "../../../scripts/bench/truth/judged_statistics.ts";

const TAG = "inter_token_latency";
const TRUTH = { metrics: new Map([[TAG, { avg: 100, p50: 90 }]]) };

function reported(avg: number, claim?: { lower: number; upper: number; verdict: Verdict }) {
  return {
    [TAG]: { avg },
    ...(claim === undefined ? {} : {
      "measurement_error": {
        verdict: claim.verdict,
        reasons: [],
        metrics: { [TAG]: { avg: claim } },
      },
    }),
  } as unknown as ReportedJson;
}

Deno.test("judgeStatistics compares what is both reported and true", () => {
  const judged = judgeStatistics(reported(104), TRUTH);
  assert.deepEqual(judged, [
    { tag: TAG, statistic: "avg", reported: 104, true: 100, errorShare: 0.04 },
  ]);
});

Deno.test("judgeStatistics says whether the interval holds the truth", () => {
  for (
    const [lower, upper, holds] of [
      [99, 101, true],
      [100, 100, true],
      [100.1, 106, false],
      [90, 99.9, false],
    ] as const
  ) {
    const [judged] = judgeStatistics(reported(104, { lower, upper, verdict: "valid" }), TRUTH);
    assert.equal(judged?.claim?.holds, holds, `${lower} to ${upper}`);
  }
});

Deno.test("isFalselyValid is true of a valid statistic off by more than 5 % either way", () => {
  for (
    const [value, verdict, isFalse] of [
      [105, "valid", false],
      [105.1, "valid", true],
      [94.9, "valid", true],
      [120, "suspect", false],
      [120, "invalid", false],
    ] as const
  ) {
    const [judged] = judgeStatistics(reported(value, { lower: 0, upper: 200, verdict }), TRUTH);
    assert.ok(judged !== undefined);
    assert.equal(isFalselyValid(judged), isFalse, `${value} ${verdict}`);
    assert.equal(isTrulyGood(judged), Math.abs(value - 100) <= 5, `${value}`);
  }
});
