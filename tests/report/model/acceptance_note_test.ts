import assert from "node:assert/strict";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import { acceptanceNote } from "../../../src/report/model/acceptance_note.ts";
import type { ServerTruth } from "../../../src/report/model/server_truth.ts";

function note(
  source: "synthetic" | "file",
  extraInputs: Readonly<Record<string, unknown>>,
  rate: number | null = 0.5,
): string | undefined {
  const plan = { body: { extraInputs }, dataset: { source } } as RunPlan;
  const values = { "acceptance_rate": rate, "acceptance_length": null };
  return acceptanceNote(plan, { speculation: { values, reasons: {} } } as unknown as ServerTruth);
}

Deno.test("acceptanceNote warns about drafts after generated prompts at temperature 0", () => {
  assert.match(note("synthetic", { "temperature": 0 }) ?? "", /at temperature 0/);
  assert.match(note("synthetic", {}) ?? "", /without a temperature/);
  assert.equal(note("synthetic", { "temperature": 0.7 }), undefined);
  assert.equal(note("synthetic", { "sampling_params": { "temperature": 1 } }), undefined);
});

Deno.test("acceptanceNote is silent about real prompts, and where nothing was drafted", () => {
  assert.equal(note("file", { "temperature": 0 }), undefined);
  assert.equal(note("synthetic", { "temperature": 0 }, null), undefined);
});
