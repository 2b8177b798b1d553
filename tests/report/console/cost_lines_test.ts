import assert from "node:assert/strict";
import type { MetricResults } from "../../../src/measurement/metrics/metric_results.ts";
import { COST_METRICS } from "../../../src/measurement/metrics/run_metrics.ts";
import { costLines } from "../../../src/report/console/cost_lines.ts";
import { fullReport } from "../../../src/report/console/full_report.ts";
import { reportWith } from "../../support/reports.ts";

const RESULTS: MetricResults = new Map([
  [COST_METRICS.outputTokenCost, 0.123456],
  [COST_METRICS.totalTokenCost, 12.3456],
  [COST_METRICS.requestCost, 0.00001234],
].map(([metric, value]) => {
  const one = metric as (typeof COST_METRICS)["requestCost"];
  return [one.tag, { metric: one, value: value as number }];
}));

Deno.test("costLines names what each price is for, in lines that fit", () => {
  assert.deepEqual(costLines(RESULTS, 80), [
    "cost         0.123 / 1M tokens out, 12.3 / 1M tokens, 1.23e-5 / request",
  ]);
  assert.deepEqual(costLines(RESULTS, 50), [
    "cost         0.123 / 1M tokens out,",
    "             12.3 / 1M tokens, 1.23e-5 / request",
  ]);
  assert.deepEqual(costLines(new Map(), 80), []);
});

Deno.test("fullReport does not round a small price to nothing", () => {
  const text = fullReport(reportWith({ results: RESULTS }), {
    ...{ width: 140, color: false, style: "full", directory: "a", traceTiming: false },
    serverMetrics: undefined,
  });
  assert.match(text, /Cost per Request .*1\.23e-5/);
});
