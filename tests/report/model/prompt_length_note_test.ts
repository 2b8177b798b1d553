import assert from "node:assert/strict";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import type { MetricResults } from "../../../src/measurement/metrics/metric_results.ts";
import { RECORD_METRICS } from "../../../src/measurement/metrics/record_metrics.ts";
import { summarize } from "../../../src/core/statistics/summarize.ts";
import { promptLengthNote } from "../../../src/report/model/prompt_length_note.ts";

const DATASET: Extract<RunPlan["dataset"], { source: "synthetic" }> = {
  source: "synthetic",
  ...{ inputTokensMean: 400, inputTokensStddev: 0, outputTokensMean: 5, outputTokensStddev: 0 },
  ...{ entries: 10, warmupEntries: 0 },
};

/** The note of a run whose server counts prompts of this length; undefined without a count. */
function note(counted: number | undefined, plan: Partial<RunPlan> = {}): string | undefined {
  const metric = RECORD_METRICS.find(({ tag }) => tag === "usage_prompt_tokens");
  const results = new Map(
    counted === undefined
      ? []
      : [["usage_prompt_tokens", { metric, summary: summarize(new Float64Array([counted])) }]],
  ) as unknown as MetricResults;
  return promptLengthNote(
    { dataset: DATASET, systemPrompt: undefined, tokenizer: { kind: "builtin" }, ...plan } as Pick<
      RunPlan,
      "dataset" | "systemPrompt" | "tokenizer"
    >,
    results,
  );
}

Deno.test("promptLengthNote compares the server's count with --isl", () => {
  assert.match(note(800) ?? "", /counts 800 tokens per prompt where --isl is 400: set --tokenizer/);
  assert.match(note(300) ?? "", /counts 300 /);
  for (const counted of [undefined, 400, 330, 479]) assert.equal(note(counted), undefined);
});

Deno.test("promptLengthNote allows for the tokens of a chat template in short prompts", () => {
  const dataset = { ...DATASET, inputTokensMean: 20 };
  assert.equal(note(60, { dataset }), undefined);
  assert.ok(note(80, { dataset }));
});

Deno.test("promptLengthNote says nothing of lengths that --isl does not plan", () => {
  const file = { kind: "file", path: "tokenizer.json", name: undefined } as const;
  assert.equal(note(800, { tokenizer: file }), undefined);
  const turns = { mean: 2, stddev: 0, delayMeanMs: 0, delayStddevMs: 0, delayRatio: 1 };
  assert.equal(note(800, { dataset: { ...DATASET, turns } }), undefined);
});
