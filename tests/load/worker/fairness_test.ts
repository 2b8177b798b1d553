/** What holds whatever the server does, for any number of workers: on fake time, by drawn replies. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";
import { closedPhase, openPhase } from "../../support/load_phases.ts";
import { type PlayedRequest, SessionStage } from "../../support/session_stage.ts";

const SERVERS = fc.record({
  seed: fc.nat(),
  mostMs: fc.constantFrom(1, 30, 400),
  failing: fc.constantFrom(0, 0.1, 0.5),
});
type Server = typeof SERVERS extends fc.Arbitrary<infer Value> ? Value : never;

const CANCELLATIONS: fc.Arbitrary<PhasePlan["cancellation"]> = fc.option(
  fc.record({
    share: fc.constantFrom(0.1, 0.5, 1),
    delayNs: fc.constantFrom(0, 20e6, 90e6),
  }),
  { nil: undefined },
);

function stageOf(workers: number, turns: readonly number[], server: Server): Promise<SessionStage> {
  const random = randomStream(server.seed, "server");
  return SessionStage.of(workers, turns, (entry) => entry % 3 * 10, () => ({
    afterMs: 1 + random() * server.mostMs,
    fails: random() < server.failing,
  }));
}

/** What was asked for, whoever sent it and whenever. */
function asked(played: readonly PlayedRequest[]): string[] {
  return played.map(({ session, turn, turns, entry, target }) =>
    [session, turn, turns, entry, target].join()
  ).sort();
}

Deno.test("a seed's workload is the same for any number of workers, however the server answers", async () => {
  const workers = fc.integer({ min: 1, max: 5 });
  const turns = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      ...[workers, workers, SERVERS, SERVERS, turns] as const,
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 20 }),
      fc.boolean(),
      fc.constantFrom(undefined, { share: 0.3, delayNs: 0 }),
      async (one, other, first, second, turns, concurrency, sessionCount, isOpen, cancellation) => {
        const play = async (workers: number, server: Server): Promise<string[]> => {
          // Where sessions fail, what they would have said does depend on the server.
          const stage = await stageOf(workers, turns, { ...server, failing: 0 });
          await stage.begin(
            isOpen
              ? openPhase({ concurrency }, { sessionCount, cancellation })
              : closedPhase(concurrency, { sessionCount, cancellation }),
          );
          await stage.finish();
          return asked(stage.played);
        };
        assert.deepEqual(await play(one, first), await play(other, second));
      },
    ),
    { numRuns: 1000 },
  );
});

Deno.test("a closed loop has as many sessions under way as it may, and never idles while work waits", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 90 }),
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
      SERVERS,
      CANCELLATIONS,
      async (workers, concurrency, sessionCount, turns, server, cancellation) => {
        const stage = await stageOf(workers, turns, server);
        const { control, time } = stage;
        await stage.begin(closedPhase(concurrency, { sessionCount, cancellation }));
        let wasFull = false;
        let events = 0;
        while (stage.phasesDone < workers) {
          assert.ok(events++ < 100_000, "the phase ends");
          assert.ok(control.inFlight <= concurrency);
          // Users come a few at a time; from then on nobody leaves before the last session has begun.
          wasFull ||= control.inFlight === concurrency;
          if (wasFull && control.claimed < sessionCount) {
            assert.equal(control.inFlight, concurrency, "a slot idles while work waits");
          }
          await time.pass(Math.max(0, Math.min(100, time.msToNext)));
        }
        assert.ok(stage.mostUnderWay <= concurrency);
        assert.ok(wasFull || sessionCount <= concurrency || control.claimed === sessionCount);
        assert.deepEqual([control.claimed, control.inFlight], [sessionCount, 0]);
        assert.equal(
          control.succeeded + control.failed + control.cancelled,
          stage.played.length,
        );
        assert.equal(stage.sessions.size, sessionCount);
        for (const requests of stage.sessions.values()) {
          requests.forEach(({ turn, startNs }, place) => {
            assert.equal(turn, place, "turns in their order, none left out");
            const before = requests[place - 1];
            assert.ok(before === undefined || (!before.failed && before.endNs <= startNs));
          });
        }
      },
    ),
    { numRuns: 1000 },
  );
});

Deno.test("an open loop sends every arrival once, in turn, under a cap that is never exceeded", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 60 }),
      SERVERS,
      CANCELLATIONS,
      async (workers, concurrency, sessionCount, server, cancellation) => {
        const stage = await stageOf(workers, [1], server);
        const { control, time } = stage;
        await stage.begin(openPhase({ concurrency }, { sessionCount, cancellation }));
        for (let events = 0; stage.phasesDone < workers; events++) {
          assert.ok(events < 100_000, "the phase ends");
          assert.ok(control.inFlight <= concurrency);
          await time.pass(Math.max(0, Math.min(100, time.msToNext)));
        }
        assert.deepEqual([control.claimed, control.inFlight], [sessionCount, 0]);
        const sessions = stage.played.map(({ session }) => session).sort((a, b) => a - b);
        assert.deepEqual(sessions, Array.from({ length: sessionCount }, (_, index) => index));
        const starts = [...stage.played].sort((a, b) => a.session - b.session);
        starts.slice(1).forEach(({ startNs, session }, place) => {
          const before = starts[place] as PlayedRequest;
          assert.ok(startNs >= before.startNs, `${session} overtook the one before it`);
        });
      },
    ),
    { numRuns: 1000 },
  );
});
