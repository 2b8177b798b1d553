import assert from "node:assert/strict";
import { COMPARED_STATISTICS } from "../../../src/measurement/compare/compared_statistics.ts";
import type { Difference } from "../../../src/measurement/compare/difference.ts";
import { judgeRegression } from "../../../src/config/gate/judge_regression.ts";
import type { GateResult } from "../../../src/config/gate/judge_slos.ts";
import type { JudgedRun } from "../../../src/config/gate/judged_run.ts";
import type { StatisticError } from "../../../src/measurement/own_error/measurement_error.ts";

/** A run whose TTFT is 100 ms, or has no such figure. */
function run(bounds: StatisticError | undefined, hasTtft = true): JudgedRun {
  const stats = { "p50": 100, "p99": 100 };
  return {
    client: new Map([
      ...(hasTtft ? [["time_to_first_token", { unit: "ms", stats }] as const] : []),
      ["request_latency", { unit: "ms", stats: {} }],
    ]),
    server: undefined,
    bounds: new Map([
      ["request_latency", {}],
      ...(bounds === undefined
        ? []
        : [["time_to_first_token", { "p50": bounds, "p99": bounds }] as const]),
    ]),
  };
}

const EXACT = bounded(100, 100);

function bounded(lower: number, upper: number): StatisticError {
  return { lower, upper, verdict: "valid" };
}

function difference(lower: number, upper: number, remark?: string): Difference {
  const statistic = COMPARED_STATISTICS.find(({ name }) => name === "TTFT p50");
  assert.ok(statistic !== undefined);
  return {
    ...{ statistic, before: 100, after: 100, difference: (lower + upper) / 2, lower, upper },
    ...{ verdict: "not significant" as const, remark },
  };
}

function judge(
  one: Difference,
  { before = run(EXACT), after = run(EXACT), incomparable = undefined as string | undefined } = {},
): GateResult {
  const gates = judgeRegression([one], 0.05, { before: [before], after: [after], incomparable });
  const gate = gates.find(({ name }) => name === "TTFT p50");
  assert.ok(gate !== undefined);
  return gate;
}

Deno.test("judgeRegression misses what is wholly beyond the limit, and nothing else", () => {
  assert.equal(judge(difference(0.051, 0.2)).met, false);
  assert.equal(judge(difference(0.049, 0.9)).met, true);
  assert.equal(judge(difference(-0.9, -0.5)).met, true);
  assert.equal(judge(difference(0.051, 0.2)).doubtful, false);
  assert.equal(judge(difference(0.051, 0.2)).conclusive, true);
  assert.equal(judge(difference(0.01, 0.049)).conclusive, true);
  // Its interval contains the limit.
  assert.equal(judge(difference(0.01, 0.09)).conclusive, false);
});

Deno.test("judgeRegression says where the client's own error could have changed a verdict", () => {
  // Of the slower run nobody knows whether it was not as fast as the other one.
  const after = run(bounded(80, 100));
  const doubtful = judge(difference(0.06, 0.2), { after });
  assert.equal(doubtful.doubtful, true);
  assert.match(doubtful.remark ?? "", /own error could change this/);
  // Met, but a baseline that was faster than it seems would make it a miss.
  const before = run(bounded(80, 100));
  const shaky = difference(0.0, 0.1);
  assert.equal(judge(shaky, { before }).met, true);
  assert.equal(judge(shaky, { before }).doubtful, true);
  assert.equal(judge(shaky, { before }).conclusive, false);
  // Of a figure that may be anything nothing is certain.
  const anything = run(bounded(0, Number.MAX_VALUE));
  for (const one of [difference(0.5, 0.6), difference(-0.6, -0.5)]) {
    assert.equal(judge(one, { after: anything }).doubtful, true);
    assert.equal(judge(one, { before: anything }).doubtful, true);
  }
});

Deno.test("judgeRegression calls what has no interval inconclusive", () => {
  const untold = difference(NaN, NaN, "60 requests are too few, it takes 100");
  assert.equal(judge(untold).met, true);
  assert.match(judge(untold).remark ?? "", /^no confidence interval: 60 requests/);
  assert.equal(judge(untold).conclusive, false);
});

Deno.test("judgeRegression trusts no times of a run whose own error was not measured", () => {
  const unmeasured: JudgedRun = { ...run(undefined), bounds: new Map() };
  const gate = judge(difference(-0.2, -0.1), { before: unmeasured });
  assert.equal(gate.met, true);
  assert.equal(gate.doubtful, true);
  assert.match(gate.remark ?? "", /own error was not measured/);
  assert.equal(gate.conclusive, false);
});

Deno.test("judgeRegression misses what only the baseline has", () => {
  const judged = (before: JudgedRun, after: JudgedRun) =>
    judgeRegression([], 0.05, { before: [before], after: [after] });
  const gates = judged(run(EXACT), run(undefined, false));
  assert.deepEqual(gates.map(({ name, met }) => [name, met]), [
    ["TTFT p50", false],
    ["TTFT p99", false],
  ]);
  assert.match(gates[0]?.remark ?? "", /only the baseline/);
  assert.deepEqual(judged(run(undefined, false), run(EXACT)), []);
});

Deno.test("a regression gate is inconclusive for runs that are not comparable", () => {
  const incomparable = "3 of 9 replies are not as long as recorded";
  for (const one of [difference(-0.3, -0.2), difference(0.2, 0.3)]) {
    const gate = judge(one, { incomparable });
    assert.deepEqual([gate.conclusive, gate.remark], [false, `not comparable: ${incomparable}`]);
    assert.equal(judge(one).conclusive, true);
  }
});
