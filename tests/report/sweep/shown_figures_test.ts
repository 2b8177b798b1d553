import assert from "node:assert/strict";
import { judgedPoints } from "../../../src/report/sweep/judged_points.ts";
import { parseRunFigures } from "../../../src/report/sweep/run_figures.ts";
import { pointResults } from "../../../src/report/sweep/point_results.ts";
import { parameterNames, settingsWords } from "../../../src/report/sweep/point_values.ts";
import { sessionColumns, sessionText } from "../../../src/report/sweep/session_columns.ts";

/** A point of a run of sessions that has a steady state. */
function pointOf(concurrency: number, { p95Upper = 9 as number | null, cutOff = 0 } = {}) {
  const figures = parseRunFigures(JSON.stringify({
    "requests": { "sent": 50, "succeeded": 50, "failed": 0 },
    "request_latency": { "unit": "ms", "avg": 100 },
    "session_duration": { "unit": "sec", "avg": 5, "p50": 4, "p95": 8 },
    "jobs_per_hour": { "unit": "jobs/hour", "avg": 1800 },
    "session_cut_off_rate": { "unit": "%", "avg": cutOff },
    "sampling_error": {
      "request_latency": { "avg": { "lower": 1, "upper": 999 } },
      "session_duration": { "p95": { "lower": 7, "upper": p95Upper } },
    },
    "measurement_error": {
      ...{ "verdict": "valid", "reasons": [] },
      "metrics": {
        "session_duration": { "p95": { "lower": 7.5, "upper": 8, "verdict": "valid" } },
      },
    },
    "steady_state": {
      "metrics": { "request_latency": { "unit": "ms", "avg": 90 } },
      "sampling_error": { "request_latency": { "avg": { "lower": 80, "upper": 95 } } },
      "measurement_error": { "metrics": {} },
    },
    "validity": { "window": "steady", "verdict": "valid" },
    "sessions": { "started": 12, "completed": 10, "failed": 1, "cut_off": 1 },
  }));
  assert.ok(figures !== undefined);
  const values = { concurrency };
  const point = { index: 0, label: `concurrency=${concurrency}`, values, options: {}, folder: "x" };
  return pointResults({ point, runs: [{ folder: "x", trial: 0, figures }] }, 0.95);
}

Deno.test("metrics of sessions are those of the whole run, with its intervals, in a steady state", () => {
  const { shown, window } = pointOf(4);
  assert.equal(window, "steady");
  assert.equal(shown.get("request_latency_avg")?.mean, 90);
  assert.deepEqual(shown.get("request_latency_avg")?.sampling, { lower: 80, upper: 95 });
  assert.equal(shown.get("session_duration_p95")?.mean, 8);
  assert.deepEqual(shown.get("session_duration_p95")?.sampling, { lower: 7, upper: 9 });
  // The client may have made sessions half a second longer.
  assert.deepEqual(shown.get("session_duration_p95")?.interval, { lower: 6.5, upper: 9 });
});

Deno.test("columns of sessions have what points have, cut-off sessions only if there are any", () => {
  const heads = (points: Parameters<typeof sessionColumns>[0]) =>
    sessionColumns(points).map(({ head }) => head);
  const known = ["duration p50 s", "duration p95 s", "jobs/h"];
  assert.deepEqual(heads([pointOf(1), pointOf(2)]), known);
  assert.deepEqual(heads([pointOf(1), pointOf(2, { cutOff: 4 })]), [...known, "cut off %"]);
  assert.deepEqual(heads([pointResults({ point: pointOf(1).point, runs: [] }, 0.95)]), []);
});

Deno.test("sessionText has the value and its interval, which may have no upper end", () => {
  const column = { key: "session_duration_p95", hasInterval: true };
  assert.equal(sessionText(pointOf(1), column), "8 (7 to 9)");
  assert.equal(sessionText(pointOf(1, { p95Upper: null }), column), "8 (7 or more)");
  assert.equal(sessionText(pointOf(1), { ...column, hasInterval: false }), "8");
  assert.equal(sessionText(pointOf(1), { ...column, key: "session_duration_p99" }), "-");
});

Deno.test("the concurrency of points with sessions counts sessions", () => {
  const points = judgedPoints([pointOf(1), pointOf(8)]);
  assert.equal(parameterNames(points), "sessions in progress");
  assert.deepEqual(points.map(settingsWords), ["1 session in progress", "8 sessions in progress"]);
  const plain = points.map((point) => ({ ...point, countsSessions: false }));
  assert.equal(parameterNames(plain), "in flight");
  assert.equal(
    settingsWords({ countsSessions: true, settings: { request_rate: 2 } }),
    "2 sessions/s planned",
  );
});
