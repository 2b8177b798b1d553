import assert from "node:assert/strict";
import { sweepAnswersChart } from "../../../src/report/html/sweep_answers_chart.ts";
import type { PointResults } from "../../../src/report/sweep/point_results.ts";
import { pointResults } from "../../../src/report/sweep/point_results.ts";
import { parseRunFigures } from "../../../src/report/sweep/run_figures.ts";

/** A point with a share of correct answers, and of replies with anomalies. */
function pointOf(concurrency: number, correct: number, anomalous = 0): PointResults {
  const figures = parseRunFigures(JSON.stringify({
    "requests": { "sent": 50, "succeeded": 50, "failed": 0 },
    "request_throughput": { "unit": "requests/sec", "avg": concurrency },
    "answers": {
      "correct": { "share": correct, "count": 50 },
      "anomalous": { "share": anomalous, "count": 50 },
      "anomalies": {},
    },
  }));
  assert.ok(figures !== undefined);
  const values = { concurrency };
  const point = { index: 0, label: `concurrency=${concurrency}`, values, options: {}, folder: "x" };
  return pointResults({ point, runs: [{ folder: "x", trial: 0, figures }] }, 0.95);
}

Deno.test("the chart has the shares of answers by ascending load, without zeros of anomalies", () => {
  const chart = sweepAnswersChart([pointOf(8, 0.88), pointOf(2, 1)]);
  assert.deepEqual(chart?.series.map(({ label, x, y }) => [label, x, y]), [
    ["correct", [2, 8], [100, 88]],
  ]);
  assert.match(chart?.title ?? "", /correct 100 to 88 %$/);
  const both = sweepAnswersChart([pointOf(2, 1), pointOf(8, 0.88, 0.1)]);
  assert.deepEqual(both?.series.map(({ y }) => y), [[100, 88], [0, 10]]);
});

Deno.test("there is no chart without a share", () => {
  const { point } = pointOf(2, 1);
  assert.equal(sweepAnswersChart([pointResults({ point, runs: [] }, 0.95)]), undefined);
});
