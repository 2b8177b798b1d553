import assert from "node:assert/strict";
import { recordedLevels } from "../../../src/cli/campaign/planned_campaign.ts";
import { parseSlos } from "../../../src/config/gate/slo.ts";
import type { RunPlan } from "../../../src/config/plan/run_plan.ts";
import type { SearchVariable } from "../../../src/report/sweep/search_plan.ts";
import type { SweepManifest } from "../../../src/report/sweep/sweep_manifest.ts";

const RECORDED = { dataset: { source: "file", agents: {} } } as unknown as Pick<RunPlan, "dataset">;
const LISTS = { dataset: { source: "file" } } as unknown as Pick<RunPlan, "dataset">;

function searchFor(variable: SearchVariable, slo: string): SweepManifest {
  return { search: { variable, slos: parseSlos([slo]) } } as unknown as SweepManifest;
}

Deno.test("recordedLevels enters recorded sessions in their middle, unless durations are objectives", () => {
  const ttft = searchFor("sessions", "ttft.p95<1s");
  assert.deepEqual(recordedLevels({}, ttft, RECORDED), {
    ...{ allowDatasetWrap: true, trajectoryStartMinRatio: 0.25, trajectoryStartMaxRatio: 0.75 },
  });
  assert.deepEqual(recordedLevels({ trajectoryStartMaxRatio: 0.1 }, ttft, RECORDED), {
    ...{ allowDatasetWrap: true, trajectoryStartMaxRatio: 0.1 },
  });
  const durations = searchFor("sessions", "session.duration.p95<1min");
  assert.deepEqual(recordedLevels({}, durations, RECORDED), { allowDatasetWrap: true });
  assert.deepEqual(recordedLevels({}, ttft, LISTS), {});
  assert.deepEqual(recordedLevels({}, searchFor("concurrency", "ttft.p95<1s"), RECORDED), {});
});
