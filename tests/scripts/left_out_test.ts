import assert from "node:assert/strict";
import { LEFT_OUT_METRICS } from "../../scripts/generated/left_out.ts";
import { metricProperties } from "../../src/report/export/schemas/metric_definitions.ts";

const FIXTURE = new URL("../../fixtures/export/aiperf_metrics.json", import.meta.url);

/** Whether a name is one of those that are left out; of what is left out, the totals are, too. */
function isLeftOut(tag: string): boolean {
  const names = LEFT_OUT_METRICS.flatMap(({ names }) => names);
  return [tag, tag.replace(/^total_/, "")].some((candidate) =>
    names.some((name) =>
      name.endsWith("*") ? candidate.startsWith(name.slice(0, -1)) : candidate === name
    )
  );
}

Deno.test("every metric of AIPerf is here, or left out for a reason that is told", async () => {
  const { metrics } = JSON.parse(await Deno.readTextFile(FIXTURE)) as { metrics: string[] };
  const ours = metricProperties();
  for (const tag of metrics) {
    assert.equal(tag in ours, !isLeftOut(tag), `${tag} is ${tag in ours ? "" : "not "}here`);
  }
  for (const name of LEFT_OUT_METRICS.flatMap(({ names }) => names)) {
    const isThere = name.endsWith("*")
      ? metrics.some((tag) => tag.includes(name.slice(0, -1)))
      : metrics.includes(name);
    assert.ok(isThere, `AIPerf has no ${name}`);
  }
});
