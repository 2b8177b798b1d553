import assert from "node:assert/strict";
import { UNBOUNDED } from "../../../src/core/statistics/unbounded.ts";
import { CanaryLog } from "../../../src/measurement/canary/canary_log.ts";
import { computeResults } from "../../../src/measurement/metrics/compute_results.ts";
import { delaysByKind } from "../../../src/measurement/own_error/delays_by_kind.ts";
import { measureError } from "../../../src/measurement/own_error/measure_error.ts";
import { addRecords, recordTable } from "../../support/record_tables.ts";
import { recordWith } from "../../support/records.ts";

const MS = 1e6;

function shortRun() {
  const table = addRecords(recordTable(), [
    recordWith({
      startNs: 0,
      endNs: 9 * MS,
      completionTokens: 3,
      chunkNs: Float64Array.of(5 * MS, 7 * MS, 9 * MS),
      firstOutputChunk: 0,
    }),
  ]);
  const delays = delaysByKind(new CanaryLog());
  return { table, delays, results: computeResults(table, 0n) };
}

Deno.test("measureError of a run that was over before a canary was read says what holds of any client", () => {
  const error = measureError({ ...shortRun(), hasCanaries: true });
  assert.equal(error?.verdict, "invalid");
  const bounds = (tag: Parameters<typeof error.metrics.get>[0]) => error.metrics.get(tag);
  assert.deepEqual(bounds("time_to_first_token")?.p99, {
    ...{ lower: 0, upper: 5.01, verdict: "invalid" },
  });
  assert.equal(bounds("time_to_first_output_token")?.p50?.upper, 5.01);
  assert.equal(bounds("request_latency")?.avg?.upper, 9.01);
  assert.deepEqual(bounds("inter_token_latency")?.avg, {
    ...{ lower: 0, upper: UNBOUNDED, verdict: "invalid" },
  });
  assert.equal(bounds("output_token_throughput_per_user")?.p50?.lower, 0);
  assert.deepEqual(bounds("interactivity"), {
    avg: { lower: 0, upper: UNBOUNDED, verdict: "invalid" },
  });
});

Deno.test("measureError of a run without canaries says nothing", () => {
  assert.equal(measureError(shortRun()), undefined);
});
