import assert from "node:assert/strict";
import type { Difference } from "../../../src/measurement/compare/difference.ts";
import { COMPARED_STATISTICS } from "../../../src/measurement/compare/compared_statistics.ts";
import { differenceTexts } from "../../../src/measurement/compare/difference_texts.ts";

function textsOf(name: string, before: number, after: number): string[] {
  const statistic = COMPARED_STATISTICS.find((one) => one.name === name);
  assert.ok(statistic !== undefined);
  const difference = statistic.kind === "errors" ? after - before : after / before - 1;
  const one: Difference = {
    ...{ statistic, before, after, difference, lower: difference, upper: difference },
    ...{ verdict: "not significant", remark: undefined },
  };
  const { values, difference: text } = differenceTexts(one);
  return [values, text];
}

Deno.test("differenceTexts has one unit for both values, seconds from ten of them on", () => {
  assert.deepEqual(textsOf("TTFT p99", 111, 134), ["111 -> 134 ms", "+20.7 %"]);
  assert.deepEqual(textsOf("TTFT p99", 9407, 9999), ["9,407 -> 9,999 ms", "+6.3 %"]);
  assert.deepEqual(textsOf("latency p99", 9407, 12_345), ["9.41 -> 12.3 s", "+31.2 %"]);
  assert.deepEqual(textsOf("latency p99", 12_345, 200_000), ["12.3 -> 200 s", "+1,520 %"]);
  assert.deepEqual(textsOf("requests/s", 20_000, 10_000), ["20,000 -> 10,000", "-50.0 %"]);
  assert.deepEqual(textsOf("error rate", 0, 2.5), ["0 -> 2.50 %", "+2.5 points"]);
});
