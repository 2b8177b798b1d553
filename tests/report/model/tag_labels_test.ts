import assert from "node:assert/strict";
import { tagLabels } from "../../../src/report/model/tag_labels.ts";

Deno.test("tagLabels are names that Prometheus takes, each once", () => {
  assert.deepEqual(tagLabels([["commit", "1a"], ["a-b", "1"], ["a.b", "2"], ["a_b_2", "3"]]), {
    "tag_commit": "1a",
    "tag_a_b": "1",
    "tag_a_b_2": "2",
    "tag_a_b_2_2": "3",
  });
});
