import assert from "node:assert/strict";
import fc from "fast-check";
import { ReplyContent } from "../../../src/client/endpoint/protocol/reply_content.ts";
import { randomStream } from "../../../src/core/statistics/random_stream.ts";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import { OPEN_GATE } from "../../../src/load/worker/prefill_gate.ts";
import {
  SessionPlayer,
  type SessionPlayerContext,
} from "../../../src/load/worker/session_player.ts";
import { FakeTime } from "../../support/fake_time.ts";
import { closedPhase, openPhase } from "../../support/load_phases.ts";
import { SessionStage } from "../../support/session_stage.ts";

const NEVER = { afterMs: 10, fails: false };

Deno.test("a session's turns carry what was said before and the replies to it", async () => {
  const stage = await SessionStage.of(1, [3], () => 0, () => NEVER);
  await stage.begin(closedPhase(1, { sessionCount: 1 }));
  await stage.finish();
  const user = (entry: number) => ({ "role": "user", "content": `turn é${entry}` });
  const reply = (number: number) => ({ "role": "assistant", "content": `reply "${number}"\n` });
  assert.deepEqual(stage.sent.map(({ body }) => body), [
    { "messages": [user(0)], "model": "m" },
    { "messages": [user(0), reply(0), user(1)], "model": "m" },
    { "messages": [user(0), reply(0), user(1), reply(1), user(2)], "model": "m" },
  ]);
  for (const [number, { headerLines }] of stage.sent.entries()) {
    assert.match(headerLines, new RegExp(`X-Request-ID: id-${number}\r\nX-Correlation-ID: id-0\r`));
  }
});

Deno.test("a session waits its delay from the end of a reply, and keeps its slot", async () => {
  const stage = await SessionStage.of(1, [3, 3], () => 50, () => NEVER);
  await stage.begin(closedPhase(1, { sessionCount: 2 }));
  await stage.time.pass(30);
  assert.deepEqual([stage.sent.length, stage.control.inFlight, stage.control.requestsInFlight], [
    1,
    1,
    0,
  ]);
  await stage.finish();
  assert.deepEqual(
    stage.played.map(({ session, turn, intendedNs, startNs }) => [
      session,
      turn,
      intendedNs / 1e6,
      startNs / 1e6,
    ]),
    [[0, 0, 0, 0], [0, 1, 60, 60], [0, 2, 120, 120], [1, 0, 130, 130], [1, 1, 190, 190], [
      1,
      2,
      250,
      250,
    ]],
  );
});

Deno.test("a session ends with a turn that fails, and its user begins the next one", async () => {
  const stage = await SessionStage.of(1, [3, 2], () => 0, (number) => ({
    afterMs: 10,
    fails: number === 1,
  }));
  await stage.begin(closedPhase(1, { sessionCount: 2 }));
  await stage.finish();
  assert.deepEqual(
    stage.played.map(({ session, turn, failed }) => [session, turn, failed]),
    [[0, 0, false], [0, 1, true], [1, 0, false], [1, 1, false]],
  );
  assert.deepEqual([stage.control.succeeded, stage.control.failed], [3, 1]);
});

Deno.test("a number of requests ends sessions that are between two of them at once", async () => {
  // The other session would not notice before its ten minutes are over.
  const stage = await SessionStage.of(2, [9], () => 600_000, () => NEVER);
  await stage.begin(closedPhase(2, { requestCount: 2 }));
  await stage.time.pass(200);
  assert.equal(stage.phasesDone, 2);
  assert.deepEqual(stage.played.map(({ turn }) => turn), [0, 0]);
  assert.deepEqual([stage.control.inFlight, stage.control.requestsInFlight, stage.time.pending], [
    0,
    0,
    2,
  ]);
});

Deno.test("sessions between two requests end when the run stops, those with one at its end", async () => {
  const stage = await SessionStage.of(1, [5], () => 1000, (number) => ({
    afterMs: number === 0 ? 10 : 5000,
    fails: false,
  }));
  await stage.begin(closedPhase(2, { durationNs: 1e12 }));
  await stage.time.pass(100);
  assert.deepEqual([stage.sent.length, stage.control.requestsInFlight], [2, 1]);
  stage.control.stop();
  stage.workers[0]?.stop();
  assert.deepEqual([stage.control.inFlight, stage.control.requestsInFlight], [1, 1]);
  stage.workers[0]?.cancel("interrupted");
  assert.equal(stage.phasesDone, 1);
  assert.deepEqual([stage.control.inFlight, stage.control.cancelled], [0, 1]);
});

Deno.test("a duration that is over leaves the turns unsent that come after it", async () => {
  const stage = await SessionStage.of(1, [9], () => 30, () => NEVER);
  await stage.begin(closedPhase(1, { durationNs: 100e6 }));
  await stage.finish();
  assert.deepEqual(stage.played.map(({ startNs }) => startNs / 1e6), [0, 40, 80]);
});

Deno.test("sessions are played whole and in order by any number of workers, whatever happens", async () => {
  const setting = fc.record({
    workers: fc.integer({ min: 1, max: 4 }),
    concurrency: fc.integer({ min: 1, max: 9 }),
    turns: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }),
    sessionCount: fc.option(fc.integer({ min: 1, max: 25 }), { nil: undefined }),
    requestCount: fc.integer({ min: 1, max: 60 }),
    isOpen: fc.boolean(),
    failing: fc.constantFrom(0, 0.1, 0.5),
    stopsAtMs: fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined, freq: 4 }),
    seed: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(setting, async (setting) => {
      const { workers, concurrency, turns, sessionCount, requestCount, isOpen, seed } = setting;
      const random = randomStream(seed, "test");
      const delayOf = (entry: number) => entry * 7919 % 5 === 0 ? 0 : entry * 7919 % 97;
      const stage = await SessionStage.of(workers, turns, delayOf, () => ({
        afterMs: random() < 0.2 ? 0 : random() * 200,
        fails: random() < setting.failing,
      }));
      const limits = { requestCount, ...(sessionCount === undefined ? {} : { sessionCount }) };
      await stage.begin(
        isOpen ? openPhase({ concurrency }, limits) : closedPhase(concurrency, limits),
      );
      if (setting.stopsAtMs !== undefined) {
        await stage.time.pass(setting.stopsAtMs);
        stage.control.stop();
        for (const worker of stage.workers) worker.stop();
        for (const worker of stage.workers) worker.cancel("interrupted");
      }
      await stage.finish();
      const { control, played, sent } = stage;

      // Every request once, none above the limit, and all the slots given back.
      assert.deepEqual([control.inFlight, control.requestsInFlight], [0, 0]);
      assert.deepEqual(
        played.map(({ index }) => index).sort((a, b) => a - b),
        played.map((_, index) => index),
      );
      assert.ok(played.length <= requestCount);
      assert.equal(control.requested, played.length);
      assert.equal(control.succeeded + control.failed + control.cancelled, played.length);
      assert.ok(stage.mostUnderWay <= concurrency);

      const bodies = new Map(sent.map((request) => [request.id, request]));
      const sessions = [...stage.sessions].sort(([a], [b]) => a - b);
      assert.deepEqual(sessions.map(([session]) => session), sessions.map((_, index) => index));
      const starts = turns.map((_, i) => turns.slice(0, i).reduce((sum, count) => sum + count, 0));
      let unsent = 0;
      for (const [session, requests] of sessions) {
        const conversation = session % turns.length;
        const history: unknown[] = [];
        requests.forEach((request, turn) => {
          const entry = (starts[conversation] as number) + turn;
          assert.equal(request.turn, turn);
          assert.equal(request.turns, turns[conversation]);
          assert.equal(request.entry, entry);
          assert.equal(request.target, session % 2);
          assert.equal(request.worker, requests[0]?.worker);
          assert.equal(request.correlationId, requests[0]?.requestId);
          const body = bodies.get(request.requestId);
          history.push({ "role": "user", "content": `turn é${entry}` });
          assert.deepEqual(body?.body.messages, history);
          history.push({ "role": "assistant", "content": body?.reply });
          const before = requests[turn - 1];
          if (before === undefined) return;
          assert.equal(before.failed, false, "nothing follows a turn that failed");
          const dueNs = before.endNs + delayOf(entry) * 1e6;
          assert.ok(Math.abs(request.startNs - dueNs) < 1, `${request.startNs} at ${dueNs}`);
        });
        if (requests.at(-1)?.failed === false) {
          unsent += (turns[conversation] as number) - requests.length;
        }
      }
      if (setting.stopsAtMs !== undefined) return;
      // Without a stop all that there is to send was sent: sessions end early only by the limit.
      if (played.length < requestCount) {
        assert.equal(unsent, 0);
        assert.equal(sessions.length, Math.min(requestCount, sessionCount ?? Infinity));
      }
    }),
    { numRuns: 1000 },
  );
});

Deno.test("sessions' turns wait for one another's first tokens as well, on all workers together", async () => {
  for (const plan of [closedPhase(6), openPhase()]) {
    const stage = await SessionStage.of(2, [3], () => 0, () => ({ afterMs: 40, fails: false }));
    const limits = { requestCount: 60, prefill: { limit: 2, ramp: undefined } };
    await stage.begin({ ...plan, ...limits });
    let most = 0;
    for (let step = 0; stage.phasesDone < 2; step++) {
      assert.ok(step < 10_000, "the phase ends");
      most = Math.max(most, stage.control.prefill.inside);
      await stage.time.pass(1);
    }
    assert.equal(most, 2);
    assert.deepEqual([stage.control.succeeded, stage.control.prefill.inside], [60, 0]);
    // Two at a time, 40 ms each: nobody waited while there was room.
    assert.ok(stage.time.nowNs() < 30 * 40e6 + 200e6, `${stage.time.nowNs() / 1e6} ms`);
  }
});

Deno.test("users in turn send their next turn a round after the last one, or when its reply is there", async () => {
  for (const [replyMs, gapMs] of [[30, 100], [150, 150]] as const) {
    const stage = await SessionStage.of(
      2,
      [3],
      () => 7,
      () => ({ afterMs: replyMs, fails: false }),
    );
    await stage.begin(openPhase({ users: 1, ratePerSecond: 10 }, { sessionCount: 1 }));
    await stage.finish();
    const turns = stage.played.filter(({ session }) => session === 0);
    assert.deepEqual(turns.map(({ turn }) => turn), [0, 1, 2]);
    const starts = turns.map(({ startNs }) => startNs / 1e6);
    assert.deepEqual(starts.map((ms) => ms - (starts[0] as number)), [0, gapMs, 2 * gapMs]);
  }
});

Deno.test("a pause holds back later turns, which are due when it is over", async () => {
  const stage = await SessionStage.of(1, [3], () => 50, () => NEVER);
  await stage.begin(closedPhase(1, { sessionCount: 1 }));
  stage.control.steering.setPaused(true);
  await stage.time.pass(1000);
  assert.deepEqual([stage.sent.length, stage.control.requestsInFlight], [1, 0]);
  stage.control.steering.setPaused(false);
  await stage.finish();
  const [, second, third] = stage.played;
  assert.equal(stage.played.length, 3);
  assert.ok(second !== undefined && second.startNs >= 1000e6 && second.startNs < 1200e6);
  assert.equal(second.intendedNs, second.startNs);
  assert.equal(third?.intendedNs, second.endNs + 50e6);
});

Deno.test("sessions whose turns are held back end when the run is stopped, or its time is over", async () => {
  const stopped = await SessionStage.of(1, [3], () => 50, () => NEVER);
  await stopped.begin(closedPhase(1, { sessionCount: 1 }));
  stopped.control.steering.setPaused(true);
  await stopped.time.pass(1000);
  stopped.control.stop();
  for (const worker of stopped.workers) worker.stop();
  await stopped.finish();
  assert.deepEqual([stopped.played.length, stopped.control.inFlight], [1, 0]);
  const timed = await SessionStage.of(1, [3], () => 50, () => NEVER);
  await timed.begin(closedPhase(1, { sessionCount: 1, durationNs: 2e9 }));
  timed.control.steering.setPaused(true);
  await timed.finish();
  assert.deepEqual([timed.played.length, timed.control.inFlight], [1, 0]);
});

Deno.test("a user's turns come by the clock, however late this thread sends them", async () => {
  const time = new FakeTime();
  const content = new ReplyContent();
  const dueMs: number[] = [];
  const transmit: SessionPlayerContext["transmit"] = (play, _turn, _number, { intendedNs }) => {
    dueMs.push(intendedNs / 1e6);
    // Replies take 100 ms, but for one that takes longer than a round.
    const replyMs = dueMs.length === 3 ? 700 : 100;
    time.once(replyMs, () => {
      const end = { kind: undefined, status: 200, message: "" };
      player.ended(play, end, { content, endNs: time.nowNs(), lateNs: 0 });
    });
  };
  const player: SessionPlayer = new SessionPlayer({
    ...{ worker: 0, phase: { startNs: 0, plan: { durationNs: Infinity } }, workload: {} },
    ...{ control: new ControlBlock(), clock: time, timers: time, gate: OPEN_GATE },
    ...{ payloads: { data: {} }, format: undefined, onEnded: () => {} },
    transmit,
  } as unknown as SessionPlayerContext);
  const turn = { entry: 0, target: 0, model: 0, delayNs: 0, afterDueNs: 500e6 };
  const [first, ...others] = Array.from({ length: 6 }, () => turn);
  if (first === undefined) throw new Error("There are no turns");
  const session = { index: 0, turns: [first, ...others] as const };
  player.begin(session, { intendedNs: 0, claimedNs: 0 });
  for (let turn = 0; turn < 5; turn++) {
    await time.pass(450);
    // Timers are late.
    time.sleep(60);
    await time.pass(0);
  }
  await time.pass(1000);
  const repliedMs = dueMs[3] as number;
  assert.deepEqual(dueMs.slice(0, 3), [0, 500, 1000]);
  assert.ok(repliedMs >= 1700, "not before the reply");
  assert.deepEqual(dueMs.slice(3), [repliedMs, repliedMs + 500, repliedMs + 1000]);
});

Deno.test("a turn after a late one would have been due that much earlier", async () => {
  for (const [lateNs, punctualMs] of [[30e6, 120], [0, 150], [NaN, 150]] as const) {
    const time = new FakeTime();
    const dueMs: [due: number, punctual: number][] = [];
    const transmit: SessionPlayerContext["transmit"] = (play, _turn, _number, { intendedNs }) => {
      dueMs.push([intendedNs / 1e6, play.punctualNs / 1e6]);
      if (dueMs.length > 1) return;
      time.once(100, () => {
        const end = { kind: undefined, status: 200, message: "" };
        player.ended(play, end, { content: new ReplyContent(), endNs: time.nowNs(), lateNs });
      });
    };
    const player: SessionPlayer = new SessionPlayer({
      ...{ worker: 0, phase: { startNs: 0, plan: { durationNs: Infinity } }, workload: {} },
      ...{ control: new ControlBlock(), clock: time, timers: time, gate: OPEN_GATE },
      ...{ payloads: { data: {} }, format: undefined, onEnded: () => {} },
      transmit,
    } as unknown as SessionPlayerContext);
    const turn = { entry: 0, target: 0, model: 0, delayNs: 50e6 };
    player.begin({ index: 0, turns: [turn, turn] }, { intendedNs: 0, claimedNs: 0 });
    await time.pass(200);
    assert.deepEqual(dueMs, [[0, 0], [150, punctualMs]]);
  }
});
