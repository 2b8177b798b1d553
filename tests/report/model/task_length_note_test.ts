import assert from "node:assert/strict";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import type { MetricResults } from "../../../src/measurement/metrics/metric_results.ts";
import { RECORD_METRICS } from "../../../src/measurement/metrics/record_metrics.ts";
import { taskLengthNote } from "../../../src/report/model/task_length_note.ts";

const TAG = "input_sequence_length";

/** The note of a run with prompts of this length. */
function note(counted: number, tasks: readonly string[] | undefined): string | undefined {
  const metric = RECORD_METRICS.find(({ tag }) => tag === TAG);
  const results = new Map([[TAG, { metric, summary: summarize(new Float64Array([counted])) }]]);
  const dataset = {
    ...{ source: "synthetic", inputTokensMean: 40, inputTokensStddev: 0 },
    ...{ outputTokensMean: 5, outputTokensStddev: 0, entries: 1, warmupEntries: 0 },
    prompts: { tasks },
  } as unknown as RunPlan["dataset"];
  return taskLengthNote({ dataset }, results as unknown as MetricResults);
}

Deno.test("taskLengthNote reports tasks that cannot be as short as --isl", () => {
  assert.equal(
    note(47.9, ["copy"]),
    undefined,
  );
  assert.equal(
    note(53.4, ["copy"]),
    "Prompts of --verify-tasks have 53.4 tokens on average where --isl is 40: the shortest task is " +
      "longer",
  );
  assert.equal(note(100, undefined), undefined);
});
