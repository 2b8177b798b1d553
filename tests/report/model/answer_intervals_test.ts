import assert from "node:assert/strict";
import { answerIntervals } from "../../../src/report/model/answer_intervals.ts";

Deno.test("answerIntervals are the drift's own interval and Wilson's of the shares", () => {
  const found = answerIntervals({
    "sample": 32,
    "drift": { "under_load": 0.25, "noise_floor": 0, "lower": 0.1, "upper": 0.42 },
    "correct": { "share": 0.9, "count": 100 },
    "valid": null,
    "anomalous": { "share": 0, "count": 60 },
    "anomalies": { "empty": 0 },
  });
  assert.deepEqual(Object.keys(found).sort(), [
    ...["answers_anomalous", "answers_correct", "answers_drift"],
  ]);
  assert.deepEqual(found["answers_drift"], { "avg": { lower: 0.1, upper: 0.42 } });
  // Wilson's interval of 90 in 100, as tables of it have it.
  const { lower, upper } = found["answers_correct"]?.avg ?? {};
  assert.deepEqual([lower?.toFixed(3), upper?.toFixed(3)], ["0.826", "0.945"]);
  assert.equal(found["answers_anomalous"]?.avg.lower, 0);
});

Deno.test("answerIntervals are none of what was not checked", () => {
  assert.deepEqual(answerIntervals(undefined), {});
  assert.deepEqual(answerIntervals({ "drift": null, "correct": { "share": 1, "count": 0 } }), {});
});
