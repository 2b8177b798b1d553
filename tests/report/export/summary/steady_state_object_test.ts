import assert from "node:assert/strict";
import { UNBOUNDED } from "../../../../src/core/statistics/unbounded.ts";
import type { SamplingErrors } from "../../../../src/measurement/sampling/sampling_errors.ts";
import { samplingErrorObject } from "../../../../src/report/export/summary/steady_state_object.ts";
import { intervalIn, shownFigures } from "../../../../src/report/sweep/shown_figures.ts";

Deno.test("intervals without an upper end are null in files, and read without an end", () => {
  const sampling: SamplingErrors = new Map([["time_to_first_token", {
    "avg": { lower: 1, upper: 3, verdict: "not_proven" },
    "p50": { lower: 0, upper: UNBOUNDED, verdict: "not_proven" },
  }]]);
  const written = JSON.parse(JSON.stringify(samplingErrorObject(sampling)));
  assert.deepEqual(written["sampling_error"]["time_to_first_token"], {
    "avg": { lower: 1, upper: 3, verdict: "not_proven" },
    "p50": { lower: 0, upper: null, verdict: "not_proven" },
  });
  const { sampling: read } = shownFigures(written);
  const interval = (name: string) => intervalIn(read, "time_to_first_token", name);
  assert.deepEqual(interval("avg"), { lower: 1, upper: 3 });
  assert.deepEqual(interval("p50"), { lower: 0, upper: UNBOUNDED });
  assert.equal(interval("p99"), undefined);
});
