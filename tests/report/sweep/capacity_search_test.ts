import assert from "node:assert/strict";
import {
  nextStep,
  searchAnswer,
  type SearchRun,
  stepOf,
} from "../../../src/report/sweep/capacity_search.ts";
import type { SearchPlan } from "../../../src/report/sweep/search_plan.ts";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";

const PLAN: SearchPlan = {
  variable: "concurrency",
  slos: [],
  min: 1,
  max: 1000,
  precision: 0.05,
  maxRuns: 60,
};

const CONCLUSIVE = { isConclusive: true, isLonger: false };

/** A run at a value whose objective is missed by more than `excess`, 0 for none. */
function runAt(value: number, excess: number, byClient = false): SearchRun {
  const met = excess <= 0;
  return {
    value,
    met,
    missed: met ? [] : ["ttft.p99"],
    byClient,
    isClear: excess > 0.25,
    ...CONCLUSIVE,
  };
}

Deno.test("stepOf is whole for numbers of requests and sessions", () => {
  const steps = (["concurrency", "sessions", "request_rate"] as const)
    .map((variable) => [10, 50].map((value) => stepOf({ ...PLAN, variable }, value)));
  assert.deepEqual(steps, [[1, 2], [1, 2], [0.5, 2.5]]);
});

function searched(
  plan: SearchPlan,
  measure: (value: number, isLonger: boolean) => SearchRun,
): SearchRun[] {
  const runs: SearchRun[] = [];
  for (;;) {
    const step = nextStep(plan, runs);
    if (step === undefined) return runs;
    const { isLonger, value } = step;
    assert.ok(runs.length < plan.maxRuns, "it ends");
    assert.ok(value >= plan.min && value <= plan.max, `${value} is within its bounds`);
    runs.push(measure(value, isLonger));
  }
}

Deno.test("a search finds every whole capacity within a step", () => {
  for (let capacity = 1; capacity <= 1000; capacity++) {
    const runs = searched(PLAN, (value) => runAt(value, value / capacity - 1));
    const { answer, limit, atLeast, isConfirmed } = searchAnswer(PLAN, runs);
    if (capacity === 1000) {
      assert.equal(answer, 1000);
      continue;
    }
    assert.ok(answer !== undefined && answer <= capacity, `${answer} of ${capacity}`);
    assert.ok(capacity - answer < Math.max(1, stepOf(PLAN, answer)), `${answer} of ${capacity}`);
    assert.ok(limit !== undefined && limit > capacity);
    assert.ok(isConfirmed && !atLeast);
  }
});

for (const variable of ["concurrency", "request_rate"] as const) {
  Deno.test(`a search of ${variable} is within a step of the truth in 95 % of 200 noisy servers`, () => {
    const plan = { ...PLAN, variable };
    let right = 0;
    for (let server = 0; server < 200; server++) {
      const random = randomStream(7, `search.${variable}`, server);
      const capacity = 2 * 400 ** random();
      const steepness = 2 + 4 * random();
      const noise = 0.05 * random();
      const runs = searched(plan, (value) => {
        const gaussian = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
        // Rises with the load, and is 1 at the capacity.
        const latency = (0.2 + 0.8 * (value / capacity) ** steepness) * (1 + noise * gaussian);
        return runAt(value, latency - 1);
      });
      const { answer = 0 } = searchAnswer(plan, runs);
      const truth = variable === "concurrency" ? Math.floor(capacity) : capacity;
      if (Math.abs(answer - truth) <= Math.max(1e-9, stepOf(plan, truth))) right++;
    }
    assert.ok(right >= 190, `${right} of 200`);
  });
}

Deno.test("a search tells what limited it", () => {
  const beyond = searched(PLAN, (value) => runAt(value, -1));
  assert.deepEqual(searchAnswer(PLAN, beyond), {
    answer: 1000,
    limit: undefined,
    atLeast: true,
    limitedBy: "range",
    isConfirmed: true,
    isProven: true,
  });
  const byClient = searched(PLAN, (value) => runAt(value, value / 100 - 1, true));
  const found = searchAnswer(PLAN, byClient);
  assert.ok(found.atLeast);
  assert.equal(found.limitedBy, "client");
  const none = searched(PLAN, (value) => runAt(value, 0.1));
  assert.deepEqual(none.map(({ value }) => value), [1, 1]);
  assert.equal(searchAnswer(PLAN, none).answer, undefined);
  assert.equal(searchAnswer(PLAN, none).limitedBy, "ttft.p99");
});

Deno.test("a search that misses once by chance goes on", () => {
  let runs = 0;
  const found = searched(PLAN, (value) => runAt(value, ++runs === 5 ? 0.1 : value / 100 - 1));
  const { answer = 0 } = searchAnswer(PLAN, found);
  assert.ok(answer > 94 && answer <= 100, `${answer}`);
});

Deno.test("a search that runs out of runs says at least", () => {
  const plan = { ...PLAN, maxRuns: 8 };
  const found = searchAnswer(plan, searched(plan, (value) => runAt(value, value / 700 - 1)));
  assert.equal(found.answer, 128);
  assert.ok(found.atLeast);
});

Deno.test("a search repeats an inconclusive step once, longer, whose value decides", () => {
  // Short runs near the capacity are inconclusive, and half of them wrong.
  const runs = searched(PLAN, (value, isLonger) => {
    const isNear = Math.abs(value / 100 - 1) < 0.2;
    const run = runAt(value, isNear && !isLonger ? 0.1 : value / 100 - 1);
    return { ...run, isConclusive: !isNear || (isLonger && value !== 100), isLonger };
  });
  const repeated = runs.filter(({ isLonger }) => isLonger).map(({ value }) => value);
  assert.ok(repeated.length > 0);
  assert.equal(new Set(repeated).size, repeated.length, "each once");
  runs.forEach(({ isConclusive, isLonger, value }, at) => {
    if (isConclusive || isLonger) return;
    const before = runs.slice(0, at).some((run) => run.isLonger && run.value === value);
    assert.ok(before || (runs[at + 1]?.isLonger === true && runs[at + 1]?.value === value));
  });
  const { answer = 0, isConfirmed, isProven } = searchAnswer(PLAN, runs);
  assert.ok(answer >= 95 && answer <= 100, `${answer}`);
  assert.ok(isConfirmed);
  assert.equal(isProven, answer !== 100);
});

Deno.test("a search whose answer or limit stays inconclusive is not proven", () => {
  const open = searched(PLAN, (value, isLonger) => ({
    ...runAt(value, value / 100 - 1),
    ...{ isConclusive: value <= 100, isLonger },
  }));
  assert.ok((searchAnswer(PLAN, open).answer ?? 0) > 94);
  assert.equal(searchAnswer(PLAN, open).isProven, false);
  const closed = searched(PLAN, (value) => runAt(value, value / 100 - 1));
  assert.equal(searchAnswer(PLAN, closed).isProven, true);
});
