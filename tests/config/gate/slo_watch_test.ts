import assert from "node:assert/strict";
import fc from "fast-check";
import { holds } from "../../../src/config/gate/judge_slos.ts";
import { parseSlos, type Slo } from "../../../src/config/gate/slo.ts";
import { MIN_REQUESTS, type Remainder, SloWatch } from "../../../src/config/gate/slo_watch.ts";
import { percentile } from "../../../src/core/statistics/percentile.ts";

/** A watch that has seen requests with these values of the metric, NaN for failed ones. */
function watched(text: string, values: readonly number[], remainder: Partial<Remainder>): SloWatch {
  const watch = new SloWatch(parseSlos([text]), {
    ...{ requestCount: Infinity, durationSeconds: Infinity },
    ...remainder,
  });
  values.forEach((value, i) =>
    watch.add({
      isValid: !Number.isNaN(value),
      isGood: value < 100,
      startSeconds: i / 10,
      endSeconds: i / 10 + 0.1,
      value: () => value,
    })
  );
  return watch;
}

Deno.test("SloWatch gives a percentile up exactly when no rest could save it", () => {
  const cases = fc.record({
    values: fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 60 }),
    rest: fc.integer({ min: 1, max: 60 }),
    statistic: fc.constantFrom("p1", "p10", "p50", "p90", "p99", "max", "min", "avg"),
    operator: fc.constantFrom("<", "<=", ">", ">=") as fc.Arbitrary<Slo["operator"]>,
  });
  fc.assert(fc.property(cases, ({ values, rest, statistic, operator }) => {
    const wantsLittle = operator.startsWith("<");
    const [slo] = parseSlos([`ttft.${statistic}${operator}100ms`]) as [Slo];
    const best = Array.from({ length: rest }, () => wantsLittle ? 0 : 1e12);
    const all = Float64Array.from([...values, ...best]).sort();
    const reached = statistic === "avg"
      ? all.reduce((sum, value) => sum + value, 0) / all.length
      : statistic === "max"
      ? all.at(-1) as number
      : statistic === "min"
      ? all[0] as number
      : percentile(all, Number(statistic.slice(1)));
    const watch = watched(`ttft.${statistic}${operator}100ms`, values, {
      requestCount: values.length + rest,
    });
    const isHopeless = watch.hopeless() !== undefined;
    // What is given up could not be met.
    if (isHopeless) assert.ok(!holds(reached, slo.operator, 100));
    // What is lost for sure is given up, but for an interpolation across the threshold.
    const certain = statistic.startsWith("p") && percentileNeighboursMiss(all, slo, 100);
    if (certain) assert.ok(isHopeless, `${statistic} ${operator}`);
  }));
});

/** Whether both values that a percentile lies between miss. */
function percentileNeighboursMiss(all: Float64Array, slo: Slo, threshold: number): boolean {
  const rank = (all.length - 1) * (Number(slo.statistic.slice(1)) / 100);
  return [Math.floor(rank), Math.ceil(rank)].every((i) =>
    !holds(all[i] as number, slo.operator, threshold)
  );
}

Deno.test("SloWatch looks at failures, and at the time that has gone by", () => {
  const failed = [NaN, NaN, 1, 1];
  assert.match(
    watched("error_rate<10%", failed, { requestCount: 20 }).hopeless() ?? "",
    /error_rate/,
  );
  assert.equal(watched("error_rate<10%", failed, { requestCount: 21 }).hopeless(), undefined);
  assert.equal(watched("error_rate<=10%", failed, { requestCount: 20 }).hopeless(), undefined);
  assert.match(watched("errors<2", failed, { requestCount: 99 }).hopeless() ?? "", /errors < 2/);
  assert.match(watched("good>80%", failed, { requestCount: 10 }).hopeless() ?? "", /good/);
  // 40 requests in 4 seconds; 10 more make 50, in no less time.
  const steady = Array.from({ length: 40 }, () => 1);
  assert.match(watched("rps>12.6", steady, { requestCount: 50 }).hopeless() ?? "", /rps/);
  assert.equal(watched("rps>12.4", steady, { requestCount: 50 }).hopeless(), undefined);
  assert.match(watched("goodput>12.6", steady, { requestCount: 50 }).hopeless() ?? "", /goodput/);
});

Deno.test("SloWatch says nothing of a run by time before enough is answered", () => {
  const slow = (count: number) => Array.from({ length: count }, () => 1000);
  const text = "ttft.p50<100ms";
  // The pace is ten a second: of 1000 s so much may come that nothing is lost yet.
  const few = slow(MIN_REQUESTS - 1);
  assert.equal(watched(text, few, { durationSeconds: 10 }).hopeless(), undefined);
  const enough = slow(MIN_REQUESTS);
  assert.match(watched(text, enough, { durationSeconds: 11 }).hopeless() ?? "", /ttft.p50/);
  assert.equal(watched(text, enough, { durationSeconds: 1000 }).hopeless(), undefined);
  assert.equal(watched(text, enough, {}).hopeless(), undefined);
});

Deno.test("SloWatch says nothing when nothing is to come", () => {
  assert.equal(watched("ttft.p50<1ms", [5, 5], { requestCount: 2 }).hopeless(), undefined);
  assert.notEqual(watched("ttft.p50<1ms", [5, 5], { requestCount: 3 }).hopeless(), undefined);
});
