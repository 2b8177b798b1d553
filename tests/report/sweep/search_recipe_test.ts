import assert from "node:assert/strict";
import { SWEEP_OPTIONS } from "../../../src/config/options/commands/sweep_options.ts";
import { resolveOptions } from "../../../src/config/options/resolve_options.ts";
import { parseSlos } from "../../../src/config/gate/slo.ts";
import { recipeSlos } from "../../../src/report/sweep/search_recipe.ts";

function slosOf(...searchSla: string[]): string[] {
  return recipeSlos(
    resolveOptions(SWEEP_OPTIONS, { searchRecipe: "max-concurrency-under-sla", searchSla }),
  );
}

Deno.test("recipeSlos reads AIPerf's objectives as --slo would have them", () => {
  const slos = slosOf("time_to_first_token:p95:lt:200", "request_latency:avg:LE:1.5e3");
  assert.deepEqual(slos, ["time_to_first_token.p95<200", "request_latency.avg<=1.5e3"]);
  assert.deepEqual(parseSlos(slos).map(({ statistic, threshold }) => [statistic, threshold]), [
    ["p95", 200],
    ["avg", 1500],
  ]);
  assert.deepEqual(slosOf("ttft:p95:lt:200,itl:avg:ge:1"), ["ttft.p95<200", "itl.avg>=1"]);
});

Deno.test("recipeSlos names an objective that is none", () => {
  for (const text of ["ttft:p95:200", "ttft:p95:below:200", "ttft:p95:lt:", "ttft:p95:lt:1:2"]) {
    assert.throws(() => slosOf(text), /--search-sla: Must be metric:statistic:operator:value/);
  }
});
