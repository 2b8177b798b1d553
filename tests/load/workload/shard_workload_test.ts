import assert from "node:assert/strict";
import fc from "fast-check";
import { ConversationColumnsBuilder } from "../../../src/load/dataset/payloads/conversation_columns.ts";
import { phaseOfShard } from "../../../src/config/plan/phase_of_shard.ts";
import type { PhasePlan, RampPlan, RatePoint } from "../../../src/config/plan/run_plan.ts";
import type { Shard } from "../../../src/config/shard/shard.ts";
import { createWorkload } from "../../../src/load/workload/create_workload.ts";
import { limitCurve } from "../../../src/load/workload/limit_curve.ts";
import type { Session, Workload } from "../../../src/load/workload/workload.ts";
import { closedPhase, openPhase, workloadSources } from "../../support/load_phases.ts";

/** Sessions that are looked at where a phase has no end. */
const SEEN = 120;

const RAMP: fc.Arbitrary<RampPlan> = fc.record({
  shape: fc.constantFrom("linear", "exponential", "steps"),
  durationNs: fc.integer({ min: 1, max: 60_000 }).map((ms) => ms * 1e6),
  steps: fc.integer({ min: 1, max: 12 }),
});
const SERIES: fc.Arbitrary<RatePoint[]> = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 5000 })),
  { minLength: 1, maxLength: 5 },
).map((steps) => {
  let seconds = 0;
  return steps.map(([gap, rate]) => ({ seconds: seconds += gap / 10, ratePerSecond: rate / 10 }));
});
const CAP = fc.oneof(fc.constant(Infinity), fc.integer({ min: 12, max: 400 }));

const LOADS: fc.Arbitrary<PhasePlan> = fc.oneof(
  fc.record({ concurrency: fc.integer({ min: 12, max: 300 }), concurrencyRamp: fc.option(RAMP) })
    .map(({ concurrency, concurrencyRamp }) => ({
      ...closedPhase(concurrency),
      load: { loop: "closed", concurrency, concurrencyRamp: concurrencyRamp ?? undefined } as const,
    })),
  fc.record({
    arrivalPattern: fc.constantFrom("poisson" as const, "constant" as const, "gamma" as const),
    ratePerSecond: fc.double({ min: 0.1, max: 1e4, noNaN: true }),
    smoothness: fc.double({ min: 0.1, max: 50, noNaN: true }),
    rateRamp: fc.option(RAMP, { nil: undefined }),
    rateSeries: fc.option(SERIES, { nil: undefined }),
    concurrency: CAP,
    concurrencyRamp: fc.option(RAMP, { nil: undefined }),
  }).map((load) => openPhase(load)),
  fc.record({
    users: fc.integer({ min: 1, max: 40 }),
    ratePerSecond: fc.double({ min: 0.1, max: 100, noNaN: true }),
  }).map((load) => openPhase(load)),
  fc.constant(openPhase({ isSchedule: true, ratePerSecond: 0 })),
);

const PHASES: fc.Arbitrary<PhasePlan> = fc.record({
  kind: fc.constantFrom("warmup" as const, "profiling" as const),
  phase: LOADS,
  requestCount: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 90 })),
  sessionCount: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 60 })),
}).map(({ kind, phase, requestCount, sessionCount }) => ({
  ...phase,
  kind,
  requestCount,
  ...(sessionCount < Infinity ? { sessionCount } : {}),
}));

/** A trace, or conversations, of one or more turns. */
const CONVERSATIONS = fc.array(
  fc.record({ turns: fc.integer({ min: 1, max: 5 }), timeMs: fc.integer({ min: 0, max: 9000 }) }),
  { minLength: 2, maxLength: 40 },
).map((rows) => {
  const builder = new ConversationColumnsBuilder();
  for (const { turns, timeMs } of rows) {
    builder.begin();
    for (let turn = 0; turn < turns; turn++) {
      builder.add({
        messages: undefined,
        followsHistory: turn > 0,
        delayNs: turn * 1e6,
        timestampNs: turn === 0 ? timeMs * 1e6 : NaN,
      });
    }
  }
  return builder.finish(0);
});

const SOURCES = workloadSources(fc.option(CONVERSATIONS, { nil: undefined }));

const COUNTS = fc.integer({ min: 1, max: 12 });

function shardsOf(count: number): Shard[] {
  return Array.from({ length: count }, (_, index) => ({ index, count }));
}

/** What a workload sends, and when: its sessions in their order. */
function planned(workload: Workload, most: number): [Session, number][] {
  const count = Math.min(workload.sessionCount, most);
  return Array.from(
    { length: count },
    (_, index) => [workload.session(index), workload.arrivalNs(index)],
  );
}

Deno.test("the plans of all shards together are the plan of the whole run, of every load shape", () => {
  fc.assert(
    fc.property(SOURCES, PHASES, COUNTS, (source, phase, count) => {
      fc.pre(
        source.conversations !== undefined ||
          !(phase.load.loop === "open" && phase.load.isSchedule === true),
      );
      const whole = createWorkload(source, phase);
      const parts = shardsOf(count).map((shard) => createWorkload({ ...source, shard }, phase));
      const expected = planned(whole, SEEN);
      const found = parts.flatMap((part, index) =>
        planned(part, Math.ceil((SEEN - index) / count)).filter(([{ index: own }]) => own < SEEN)
      ).sort(([a], [b]) => a.index - b.index);
      assert.deepEqual(found, expected);
      // What is known from the beginning is not waited for.
      assert.ok(parts.every(({ readyCount }) => readyCount === whole.readyCount));
      const counts = parts.map(({ sessionCount }) => sessionCount);
      assert.equal(counts.reduce((a, b) => a + b), whole.sessionCount);
      // Nobody has more than one session more than another.
      if (whole.sessionCount < Infinity) {
        assert.ok(Math.max(...counts) - Math.min(...counts) <= 1);
      }
    }),
    { numRuns: 400 },
  );
});

Deno.test("requests of several a session have numbers that no other shard has, without gaps", () => {
  fc.assert(
    fc.property(SOURCES, PHASES, COUNTS, CONVERSATIONS, (source, phase, count, conversations) => {
      const limit = Math.min(SEEN, phase.requestCount);
      const numbers = shardsOf(count).flatMap((shard) => {
        const part = createWorkload({ ...source, conversations, shard }, phase);
        const most = Math.min(part.turnLimit as number, SEEN);
        return Array.from({ length: most }, (_, own) => part.requestNumber?.(own) as number);
      }).filter((number) => number < limit).sort((a, b) => a - b);
      assert.deepEqual(numbers, Array.from({ length: limit }, (_, number) => number));
    }),
  );
});

Deno.test("limits of all shards together are the limit of the whole run, at every time of a ramp", () => {
  const property = fc.property(
    fc.integer({ min: 1, max: 300 }),
    fc.option(RAMP, { nil: undefined }),
    COUNTS,
    fc.array(fc.double({ min: 0, max: 1.1, noNaN: true }), { minLength: 1, maxLength: 20 }),
    (target, ramp, count, shares) => {
      const whole = limitCurve(target, ramp);
      const parts = shardsOf(count).map((shard) => limitCurve(target, ramp, shard));
      for (const share of shares) {
        const phaseNs = (ramp?.durationNs ?? 1) * share;
        assert.equal(parts.reduce((sum, part) => sum + part.at(phaseNs), 0), whole.at(phaseNs));
      }
      // Users come at the same times.
      const times = (curve: typeof whole): number[] =>
        Array.from({ length: curve.target }, (_, user) => curve.reachedNs(user + 1));
      const all = parts.flatMap(times).sort((a, b) => a - b);
      assert.deepEqual(all, times(whole));
      for (const part of parts) assert.equal(part.reachedNs(part.target + 1), Infinity);
    },
  );
  fc.assert(property);
});

Deno.test("phaseOfShard divides every number of a phase, and leaves its times alone", () => {
  fc.assert(fc.property(PHASES, COUNTS, (phase, count) => {
    const prefill = { limit: 50, ramp: undefined };
    const parts = shardsOf(count).map((shard) => phaseOfShard({ ...phase, prefill }, shard));
    const sum = (of: (phase: PhasePlan) => number): number =>
      parts.reduce((sum, part) => sum + of(part), 0);
    assert.equal(sum(({ requestCount }) => requestCount), phase.requestCount);
    assert.equal(sum(({ load }) => load.concurrency), phase.load.concurrency);
    assert.equal(sum(({ prefill }) => prefill?.limit ?? 0), 50);
    if (phase.sessionCount !== undefined) {
      assert.equal(sum(({ sessionCount }) => sessionCount ?? NaN), phase.sessionCount);
    }
    if (phase.load.loop === "open") {
      const rate = sum(({ load }) => load.loop === "open" ? load.ratePerSecond : NaN);
      assert.ok(Math.abs(rate - phase.load.ratePerSecond) <= 1e-9 * rate);
    }
    for (const { durationNs, graceNs, kind } of parts) {
      assert.deepEqual([durationNs, graceNs, kind], [phase.durationNs, phase.graceNs, phase.kind]);
    }
    assert.equal(phaseOfShard(phase, undefined), phase);
  }));
});
