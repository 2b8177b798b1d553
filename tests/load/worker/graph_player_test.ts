import assert from "node:assert/strict";
import type { AgentsPlan } from "../../../src/config/plan/agents_plan.ts";
import { ReplyContent } from "../../../src/client/endpoint/protocol/reply_content.ts";
import type { PlayedCall } from "../../../src/load/dataset/payloads/graph_columns.ts";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import { GraphPlayer } from "../../../src/load/worker/graph_player.ts";
import { OPEN_GATE } from "../../../src/load/worker/prefill_gate.ts";
import type { SessionPlay, SessionPlayerContext } from "../../../src/load/worker/session_player.ts";
import type { Session } from "../../../src/load/workload/workload.ts";
import { FakeTime } from "../../support/fake_time.ts";
import { closedPhase } from "../../support/load_phases.ts";

const GAPS = { kind: "recorded" } as const;
const AGENTS = {
  ...{ toolTime: GAPS, userTime: GAPS, history: "recorded", onFailedCall: "branch" },
  ...{ keepsOrder: false, wraps: false, burstsStarts: false },
} as unknown as AgentsPlan;

/** A call after others, with a gap in milliseconds. */
function call(gapMs: number, after: readonly number[], isVirtual = false): PlayedCall {
  return {
    edges: after.map((from) => ({ from, on: "end", kind: "sequence", gapMs })),
    ...{ offsetMs: gapMs, notBeforeMs: undefined, isVirtual, gapClass: undefined },
    ...{ outputTokens: 1, recordedMs: 0 },
  } as unknown as PlayedCall;
}

/** A player of one session, whose requests the test ends. */
class Stage {
  readonly time = new FakeTime();
  readonly control = new ControlBlock();
  /** Requests sent, and when, in milliseconds. */
  readonly sent: [call: number, atMs: number][] = [];
  readonly plays: SessionPlay[] = [];
  readonly player: GraphPlayer;
  ended = 0;

  constructor(agents: Partial<AgentsPlan>, calls: readonly PlayedCall[]) {
    this.control.beginPhase(true);
    const context = {
      ...{ worker: 0, control: this.control, clock: this.time, timers: this.time },
      ...{ gate: OPEN_GATE, payloads: {}, format: undefined, workload: { turnLimit: Infinity } },
      phase: { plan: closedPhase(1), startNs: 0, slots: 1, clockOffsetMs: 0 },
      transmit: (play: SessionPlay) => {
        this.plays.push(play);
        this.sent.push([play.turn, this.time.nowNs() / 1e6]);
      },
      onEnded: () => this.ended++,
    } as unknown as SessionPlayerContext;
    const plan = { seed: 1, benchmarkId: "0123456789abcdef" };
    this.player = new GraphPlayer(context, { ...AGENTS, ...agents }, plan, 0, () => {});
    const session = { index: 0, turns: calls.map(() => ({})), calls } as unknown as Session;
    this.player.begin(session, { intendedNs: 0, claimedNs: 0 });
  }

  /** Ends the request that was sent last, or another one. */
  end(place = -1, lateMs = 0): void {
    const play = this.plays.at(place) as SessionPlay;
    const end = { kind: undefined, fault: undefined, status: 200, message: "" };
    const endNs = this.time.nowNs();
    const reply = { content: new ReplyContent(), endNs, lateNs: lateMs * 1e6 };
    this.player.ended(play, end, reply);
  }

  /** When requests would have been sent by a punctual client, in milliseconds. */
  get punctualMs(): number[] {
    return this.plays.map(({ punctualNs }) => punctualNs / 1e6);
  }
}

Deno.test("GraphPlayer shortens a pause of the run behind a call that sends nothing", async () => {
  const stage = new Stage({ systemIdleCapNs: 100e6 }, [
    call(0, []),
    call(50, [0], true),
    call(60_000, [1]),
  ]);
  await stage.time.pass(10);
  stage.end();
  await stage.time.pass(1000);
  // The run is idle from 10 ms, and the last call is known at 60 ms only.
  assert.deepEqual(stage.sent, [[0, 0], [2, 110]]);
  stage.end();
  assert.equal(stage.ended, 1);
});

Deno.test("GraphPlayer counts the requests of a session in flight, none between two of them", async () => {
  const stage = new Stage({}, [call(0, []), call(0, []), call(50, [0, 1])]);
  stage.control.claim(1, 0);
  await stage.time.pass(10);
  const counts = () => [stage.control.requestsInFlight, stage.control.succeeded];
  assert.deepEqual(counts(), [2, 0], "two at once");
  stage.end(0);
  assert.deepEqual(counts(), [1, 1]);
  stage.end(1);
  assert.deepEqual(counts(), [0, 2]);
  await stage.time.pass(100);
  assert.deepEqual([counts(), stage.sent.at(-1)], [[1, 2], [2, 60]]);
  assert.equal(stage.ended, 0);
  stage.end();
  assert.equal(stage.ended, 1);
});

Deno.test("GraphPlayer leaves out lateness of the call that made room for another one", async () => {
  const stage = new Stage({ maxParallelCalls: 1 }, [call(0, []), call(0, [])]);
  await stage.time.pass(40);
  stage.end(0, 15);
  assert.deepEqual(stage.sent, [[0, 0], [1, 40]]);
  assert.deepEqual(stage.punctualMs, [0, 25]);
});
