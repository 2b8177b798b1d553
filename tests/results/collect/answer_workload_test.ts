import assert from "node:assert/strict";
import { answerWorkload } from "../../../src/results/collect/answer_workload.ts";

Deno.test("answerWorkload is equal for settings that give equal prompts", () => {
  const workload = (
    dataset: Readonly<Record<string, unknown>>,
    numbering: "entry" | "name" = "entry",
  ) => answerWorkload({ datasets: [dataset], loadgen: { concurrency: 3 } }, numbering);
  const synthetic = { type: "synthetic", "random_seed": 1, prompts: { isl: 10, osl: 20 } };
  assert.notEqual(workload(synthetic), workload({ ...synthetic, "random_seed": 2 }));
  assert.notEqual(workload(synthetic), workload({ ...synthetic, prompts: { isl: 11, osl: 20 } }));
  assert.notEqual(workload(synthetic), workload(synthetic, "name"));
  assert.equal(
    workload(synthetic),
    workload({ prompts: { osl: 20, isl: 10 }, "random_seed": 1, type: "synthetic" }),
  );
  const file = { type: "file", format: "single_turn", path: "a.jsonl", "random_seed": 1 };
  const other = { ...file, path: "b.jsonl", name: "b", sampling: "random", "random_seed": 2 };
  assert.equal(workload(file), workload(other));
  assert.notEqual(workload(file), workload({ ...file, format: "multi_turn" }));
});
