import assert from "node:assert/strict";
import fc from "fast-check";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import { arrivals } from "../../../src/load/workload/arrivals.ts";
import { createWorkload, workloadSource } from "../../../src/load/workload/create_workload.ts";
import type { WorkloadSource } from "../../../src/load/workload/workload.ts";
import { filePlan, UNCHANGED } from "../../support/input_files.ts";
import { closedPhase, openPhase, SOURCE, workloadSources } from "../../support/load_phases.ts";
import { conversationPayloads } from "../../support/session_stage.ts";

/** What a workload says of a session. */
function told(source: WorkloadSource, phase: PhasePlan): (index: number) => unknown {
  const workload = createWorkload(source, phase);
  return (index) => [workload.session(index), workload.arrivalNs(index)];
}

const SOURCES = workloadSources(fc.constant(undefined));

const PHASES: fc.Arbitrary<PhasePlan> = fc.record({
  kind: fc.constantFrom("warmup" as const, "profiling" as const),
  phase: fc.oneof(
    fc.integer({ min: 1, max: 9 }).map((concurrency) => closedPhase(concurrency)),
    fc.record({
      arrivalPattern: fc.constantFrom("poisson" as const, "constant" as const, "gamma" as const),
      ratePerSecond: fc.double({ min: 0.1, max: 1e4, noNaN: true }),
      smoothness: fc.double({ min: 0.1, max: 50, noNaN: true }),
    }).map((load) => openPhase(load)),
  ),
}).map(({ kind, phase }) => ({ ...phase, kind }));

Deno.test("a workload is the same whoever asks for which part of it, in whatever order", () => {
  const count = 60;
  const order = fc.shuffledSubarray(Array.from({ length: count }, (_, index) => index), {
    minLength: count,
  });
  fc.assert(
    fc.property(SOURCES, PHASES, order, fc.integer({ min: 1, max: 7 }), (
      source,
      phase,
      order,
      parts,
    ) => {
      const whole = told(source, phase);
      const expected = Array.from({ length: count }, (_, index) => whole(index));
      // Each part is told by a thread, or a machine, that knows nothing of the others.
      const ofPart = Array.from({ length: parts }, () => told(source, phase));
      const found = new Array<unknown>(count);
      for (const index of order) found[index] = ofPart[index % parts]?.(index);
      assert.deepEqual(found, expected);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("a workload's sessions are of one turn, from the table of payloads, to one target", () => {
  fc.assert(
    fc.property(SOURCES, PHASES, fc.nat({ max: 100_000 }), (source, phase, index) => {
      const { index: own, turns } = createWorkload(source, phase).session(index);
      assert.deepEqual([own, turns.length, turns[0].delayNs], [index, 1, 0]);
      assert.equal(turns[0].target, index % source.targetCount, "targets take turns");
      assert.equal(turns[0].model, index % source.modelCount, "models take turns");
      const { profilingEntries, warmupEntries } = source;
      const isOwn = phase.kind === "warmup" && warmupEntries > 0;
      const first = isOwn ? profilingEntries : 0;
      const entries = isOwn ? warmupEntries : profilingEntries;
      assert.ok(turns[0].entry >= first && turns[0].entry < first + entries);
    }),
  );
});

Deno.test("a workload's sessions of several turns are conversations, whole and in their order", () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(
      SOURCES,
      PHASES,
      lengths,
      fc.nat({ max: 10_000 }),
      (source, phase, turns, index) => {
        const { conversations } = conversationPayloads([...turns, 2], (entry) => entry).data;
        assert.ok(conversations);
        const workload = createWorkload({ ...source, conversations }, phase);
        const { index: own, turns: played } = workload.session(index);
        assert.equal(own, index);
        const starts = [...conversations.conversationStart];
        const conversation = starts.indexOf(played[0].entry);
        assert.ok(conversation >= 0, "it begins with a first turn");
        assert.equal(played.length, [...turns, 2][conversation]);
        played.forEach(({ entry, target, model, delayNs }, turn) => {
          assert.equal(entry, played[0].entry + turn);
          assert.equal(target, index % source.targetCount, "a session stays with its target");
          assert.equal(model, index % source.modelCount, "a session stays with its model");
          assert.equal(delayNs, turn === 0 ? 0 : entry * 1e6);
        });
        // Whoever asks, and whatever was asked before.
        const other = createWorkload({ ...source, conversations }, phase);
        other.session(index + 3);
        assert.deepEqual(other.session(index), workload.session(index));
        assert.equal(workload.turnLimit, phase.requestCount);
      },
    ),
  );
});

Deno.test("a workload's arrivals are those of its pattern, in their order", () => {
  const phase = openPhase({ arrivalPattern: "poisson" }, { requestCount: 50 });
  const workload = createWorkload(SOURCE, phase);
  assert.equal(workload.sessionCount, 50);
  const offsets = Array.from({ length: 50 }, (_, index) => workload.arrivalNs(index));
  assert.ok(phase.load.loop === "open");
  assert.deepEqual(offsets, [...arrivals(phase.load, SOURCE.seed, "profiling").take(50)]);
  assert.deepEqual(offsets, offsets.toSorted((a, b) => a - b));
});

Deno.test("a workload of a closed loop has every session ready from the beginning", () => {
  const workload = createWorkload(SOURCE, closedPhase(3));
  assert.equal(workload.sessionCount, Infinity);
  assert.deepEqual([0, 1, 1000].map((index) => workload.arrivalNs(index)), [0, 0, 0]);
});

Deno.test("workloadSource takes what workloads need from plan and payloads, and no secrets", () => {
  const target = {
    origin: { protocol: "http:", hostname: "h", port: 1, addresses: ["::1"], host: "h:1" },
    path: "/",
    redactedUrl: "http://h:1/",
    authorization: "Basic c2VjcmV0",
  };
  const source = workloadSource(
    { seed: 7, samplingStrategy: "shuffle", targets: [target, target, target] },
    { modelCount: 2, profilingEntries: 4, warmupEntries: 2, conversations: undefined },
  );
  assert.deepEqual(source, {
    seed: 7,
    samplingStrategy: "shuffle",
    targetCount: 3,
    modelCount: 2,
    profilingEntries: 4,
    warmupEntries: 2,
    conversations: undefined,
  });
});

Deno.test("workloadSource begins a schedule at the offset asked for, as fast as it is replayed", () => {
  const zeroOf = (zeroMs: number | undefined, speedup: number) =>
    workloadSource({
      ...{ seed: 7, samplingStrategy: "sequential", targets: [] },
      dataset: filePlan("trace.jsonl", {
        schedule: { zeroMs, startMs: zeroMs ?? -Infinity, endMs: Infinity },
        synthesis: { ...UNCHANGED, speedup },
      }),
    }, { modelCount: 1, profilingEntries: 1, warmupEntries: 0, conversations: undefined })
      .scheduleZeroNs;
  assert.equal(zeroOf(4800, 2), 2.4e9);
  assert.equal(zeroOf(0, 3), 0);
  // At the time of the first request.
  assert.equal(zeroOf(undefined, 2), undefined);
});
