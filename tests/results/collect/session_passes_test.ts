import assert from "node:assert/strict";
import fc from "fast-check";
import { EntrySampler } from "../../../src/load/workload/entry_sampler.ts";
import { SessionPasses } from "../../../src/results/collect/session_passes.ts";

type Plan = ConstructorParameters<typeof SessionPasses>[0];

const STRATEGIES = ["sequential", "random", "shuffle"] as const;

function payloads(count: number): ConstructorParameters<typeof SessionPasses>[1] {
  return { conversations: { profilingConversations: count } } as ReturnType<typeof payloads>;
}

Deno.test("SessionPasses counts earlier sessions with the same conversation, in any order asked", () => {
  fc.assert(fc.property(
    fc.constantFrom(...STRATEGIES),
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 0, max: 1000 }),
    fc.shuffledSubarray(Array.from({ length: 40 }, (_, session) => session)),
    (samplingStrategy, count, seed, sessions) => {
      const source = { samplingStrategy, seed, profilingEntries: count, warmupEntries: 0 };
      const sampler = new EntrySampler(source, "profiling");
      const order = Array.from({ length: 40 }, (_, session) => sampler.entryOf(session));
      const passes = new SessionPasses({ samplingStrategy, seed, phases: [] }, payloads(count));
      for (const session of sessions) {
        const earlier = order.slice(0, session).filter((entry) => entry === order[session]);
        assert.equal(passes.of(session), earlier.length);
      }
    },
  ));
});

Deno.test("SessionPasses of a schedule are 0, as it sends each conversation once", () => {
  const load = { loop: "open", isSchedule: true };
  const phases = [{ kind: "profiling", load }] as unknown as Plan["phases"];
  const passes = new SessionPasses({ samplingStrategy: "random", seed: 1, phases }, payloads(4));
  assert.deepEqual([0, 1, 2, 3].map((session) => passes.of(session)), [0, 0, 0, 0]);
});
