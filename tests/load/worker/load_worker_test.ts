import assert from "node:assert/strict";
import { configuredType } from "../../../src/client/endpoint/endpoint_types.ts";
import type { ResponseHead } from "../../../src/client/http/response_head.ts";
import type { Exchange } from "../../../src/client/http/transport.ts";
import { ERROR_KINDS } from "../../../src/client/record/error_kind.ts";
import { type RecordBlock, rowsOf } from "../../../src/client/record/record_block.ts";
import {
  FIELD,
  FIELD_COUNT,
  type RequestField,
} from "../../../src/client/record/request_fields.ts";
import type { ProfileOptions } from "../../../src/config/options/profile/profile_types.ts";
import { resolvePlan } from "../../../src/config/plan/resolve/resolve_plan.ts";
import type { PhasePlan } from "../../../src/config/plan/run_plan.ts";
import { PayloadTableBuilder } from "../../../src/load/dataset/payloads/payload_table_builder.ts";
import type { CanaryOrders } from "../../../src/load/worker/canary_reader.ts";
import { ControlBlock } from "../../../src/load/worker/control_block.ts";
import { LoadWorker } from "../../../src/load/worker/load_worker.ts";
import type { FromLoadWorker, RecordMessage } from "../../../src/load/worker/messages.ts";
import { workloadSource } from "../../../src/load/workload/create_workload.ts";
import { CanaryCells } from "../../../src/measurement/canary/canary_cells.ts";
import { FakeTime } from "../../support/fake_time.ts";
import { closedPhase, openPhase } from "../../support/load_phases.ts";
import { ScriptedTransport } from "../../support/scripted_transport.ts";

const LAG_MS = Float64Array.of(0.5);

/** A worker on fake time, without a network, and what it says. */
class Bench {
  readonly time = new FakeTime();
  readonly control = new ControlBlock();
  readonly transports: ScriptedTransport[] = [];
  readonly retryRules: unknown[] = [];
  readonly worker: LoadWorker;
  readonly toMain: FromLoadWorker[] = [];
  readonly toResults: RecordMessage[] = [];
  lagsBegun = 0;

  static async of(options: ProfileOptions = {}, canaries?: CanaryOrders): Promise<Bench> {
    const urls = ["http://127.0.0.1:1", "http://user:pw@127.0.0.1:2/sub", "http://127.0.0.1:1/b"];
    const plan = await resolvePlan({
      ...{ url: urls, model: "m", streaming: true, noServerMetrics: true, randomSeed: 1 },
      ...options,
    }, { cores: 2, cliCommand: "test", findModel: () => Promise.resolve("m") });
    const payloads = new PayloadTableBuilder();
    for (const text of ["{0}", "{1}", "{2}", "{3}", "{4}", "{warm}"]) {
      const body = [payloads.addSegment(new TextEncoder().encode(text))];
      payloads.addEntry(body, { inputTokens: 1, outputTokens: 1, images: 0 });
    }
    return new Bench(plan, payloads.finish(1).data, canaries);
  }

  private constructor(
    plan: Awaited<ReturnType<typeof resolvePlan>>,
    payloads: ReturnType<PayloadTableBuilder["finish"]>["data"],
    canaries: CanaryOrders | undefined,
  ) {
    const workload = workloadSource(plan, payloads);
    let ids = 0;
    this.worker = new LoadWorker({ worker: 3, plan, payloads, workload, canaries }, {
      endpointType: configuredType(plan),
      control: this.control,
      timers: this.time,
      lag: { begin: () => this.lagsBegun++, end: () => LAG_MS },
      clockOf: (offsetMs) => ({ nowNs: () => this.time.nowNs() + offsetMs * 1e6 }),
      createTransport: (_name, { nowNs, retries }) => {
        this.retryRules.push(retries);
        const transport = new ScriptedTransport(nowNs);
        this.transports.push(transport);
        return transport;
      },
      newRequestId: () => `id-${ids++}`,
      wake() {},
      toMain: (message) => this.toMain.push(message),
      toResults: (message) => this.toResults.push(message),
    });
  }

  /** Begins a phase on a thread whose clock is a second behind. */
  async begin(plan: PhasePlan): Promise<void> {
    this.control.beginPhase();
    const startNs = this.time.nowNs() + 1e9;
    const slots = plan.load.loop === "closed" ? plan.load.concurrency : 0;
    this.worker.beginPhase({
      plan,
      startNs,
      clockOffsetMs: 1000,
      slots,
      connections: 0,
      workers: 1,
    });
    await this.time.pass(0);
  }

  get transport(): ScriptedTransport {
    return this.transports[0] as ScriptedTransport;
  }

  get blocks(): RecordBlock[] {
    return this.toResults.flatMap((message) => message.type === "records" ? [message.block] : []);
  }

  /** A column of all records. */
  column(field: RequestField): number[] {
    return this.blocks.flatMap((block) => {
      const rows = rowsOf(block);
      return Array.from(
        { length: block.count },
        (_, row) => rows[row * FIELD_COUNT + FIELD[field]] as number,
      );
    });
  }

  /** Why each request failed, as kind and message; undefined if it did not. */
  get errors(): (string | undefined)[] {
    const messages = this.blocks.flatMap(({ count, errors }) => {
      const ofBlock = new Array<string>(count);
      for (const [row, message] of errors) ofBlock[row] = message;
      return [...ofBlock];
    });
    return this.column("errorKind").map((kind, index) =>
      kind < 0 ? undefined : `${ERROR_KINDS[kind]}: ${messages[index]}`
    );
  }
}

Deno.test("LoadWorker sends each session's payload to its target under an id of its own", async () => {
  const bench = await Bench.of({ header: ["X-Own: 1"], apiKey: "key" });
  await bench.begin(closedPhase(4));
  const { sent, preparations } = bench.transport;
  assert.deepEqual(preparations, [["127.0.0.1:1", 2, 1000], ["127.0.0.1:2", 2, 1000]]);
  assert.deepEqual(
    sent.map(({ request: { origin, method, path, body } }) => [
      `${method} ${origin.host}${path}`,
      body.map((piece) => new TextDecoder().decode(piece)).join(),
    ]),
    [
      ["POST 127.0.0.1:1/v1/chat/completions", "{0}"],
      ["POST 127.0.0.1:2/sub/v1/chat/completions", "{1}"],
      ["POST 127.0.0.1:1/b/v1/chat/completions", "{2}"],
      ["POST 127.0.0.1:1/v1/chat/completions", "{3}"],
    ],
  );
  sent.forEach(({ request: { headerLines, ownLines } }, number) => {
    assert.match(headerLines, /^X-Own: 1\r\nAuthorization: Bearer key\r\n/m);
    assert.equal(ownLines, `X-Request-ID: id-${number}\r\nX-Correlation-ID: id-${number}\r\n`);
  });
});

Deno.test("LoadWorker writes down who asked for each request, and when", async () => {
  const bench = await Bench.of();
  await bench.begin(closedPhase(1, { requestCount: 3 }));
  await bench.time.pass(20);
  bench.transport.reply(0);
  await bench.time.pass(30);
  bench.transport.begin(1, ["token"]);
  bench.transport.fail(1, "truncated");
  bench.transport.reply(2);
  assert.deepEqual(bench.column("index"), [0, 1, 2]);
  assert.deepEqual(bench.column("entry"), [0, 1, 2]);
  assert.deepEqual(bench.column("target"), [0, 1, 2]);
  assert.deepEqual(bench.column("worker"), [3, 3, 3]);
  assert.deepEqual(bench.column("phase"), [1, 1, 1]);
  for (const field of ["intendedNs", "claimedNs", "startNs"] as const) {
    assert.deepEqual(bench.column(field), [1000e6, 1020e6, 1050e6], field);
  }
  assert.deepEqual(bench.errors, [undefined, "truncated: truncated on purpose", undefined]);
  assert.deepEqual(bench.blocks.flatMap(({ requestIds }) => requestIds), ["id-0", "id-1", "id-2"]);
});

Deno.test("LoadWorker writes down which replies were no streams, and which counts were none", async () => {
  const bench = await Bench.of();
  await bench.begin(closedPhase(1, { requestCount: 3 }));
  const whole = (usage: Readonly<Record<string, number>>) =>
    JSON.stringify({ "choices": [{ "message": { "content": "a" } }], usage });
  bench.transport.answer(0, "application/json", whole({ "prompt_tokens": 3 }));
  bench.transport.reply(1);
  const absurd = { "prompt_tokens": -1, "completion_tokens": 1e308, "total_tokens": 7 };
  bench.transport.answer(2, "application/json", whole(absurd));
  assert.deepEqual(bench.errors, [undefined, undefined, undefined]);
  assert.deepEqual(bench.column("isWhole"), [1, 0, 1]);
  assert.deepEqual(bench.column("refusedCounts"), [0, 0, 2]);
  assert.deepEqual(bench.column("promptTokens"), [3, NaN, NaN]);
  assert.deepEqual(bench.column("totalTokens"), [NaN, NaN, 7]);
});

Deno.test("LoadWorker says that a phase is done after its last record", async () => {
  const bench = await Bench.of();
  await bench.begin(closedPhase(1, { requestCount: 2 }));
  bench.transport.reply(0);
  assert.deepEqual([bench.toResults.length, bench.toMain.length], [0, 0]);
  bench.transport.reply(1);
  assert.deepEqual(bench.toResults.map(({ type }) => type), ["records", "phaseEnd"]);
  assert.deepEqual(bench.column("index"), [0, 1]);
  assert.deepEqual(bench.toMain, [{ type: "phaseDone", loopLagMs: LAG_MS, stalls: [] }]);
});

Deno.test("LoadWorker carries one phase after another over the same connections", async () => {
  const bench = await Bench.of();
  await bench.begin({ ...openPhase({}, { requestCount: 1 }), kind: "warmup" });
  await bench.time.pass(10);
  bench.control.setArrived(1);
  bench.worker.onArrival();
  bench.control.endArrivals();
  bench.transport.reply(0);
  assert.equal(bench.toMain.length, 1);
  bench.worker.onArrival();
  bench.worker.stop();
  assert.equal(bench.toMain.length, 1, "words about a phase that is over");
  await bench.begin(closedPhase(1, { requestCount: 1 }));
  bench.worker.onArrival();
  bench.transport.reply(1);
  assert.deepEqual([bench.toMain.length, bench.transports.length, bench.lagsBegun], [2, 1, 2]);
  assert.deepEqual(bench.column("phase"), [0, 1]);
  assert.deepEqual(bench.column("entry"), [5, 0], "warm-up has a prompt of its own");
  assert.deepEqual(bench.column("intendedNs"), [1010e6, 1010e6]);
});

Deno.test("LoadWorker ends requests that outlast the timeout, and their users go on", async () => {
  const bench = await Bench.of({ requestTimeoutSeconds: 2 });
  await bench.begin(closedPhase(2));
  await bench.time.pass(1500);
  bench.transport.reply(1);
  await bench.time.pass(499);
  assert.equal(bench.transport.aborted.length, 0);
  await bench.time.pass(1);
  assert.deepEqual(bench.transport.aborted, [bench.transport.sent[0]]);
  assert.equal(bench.transport.sent.length, 4);
  await bench.time.pass(100);
  assert.deepEqual(bench.errors, [undefined, "timeout: No complete reply within 2 s"]);
  assert.deepEqual(bench.column("endNs"), [2500e6, 3000e6]);
});

Deno.test("LoadWorker resends requests by the plan's rule", async () => {
  for (const defaults of ["inferometer", "aiperf"] as const) {
    const bench = await Bench.of({ defaults });
    await bench.begin(closedPhase(1));
    assert.deepEqual(bench.retryRules, [defaults === "aiperf" ? "never" : undefined]);
  }
});

Deno.test("LoadWorker looks more often where a timeout is short", async () => {
  for (const options of [{ requestTimeoutSeconds: 0.15 }, { stallTimeout: 0.15 }]) {
    const bench = await Bench.of(options);
    await bench.begin(closedPhase(1));
    await bench.time.pass(150);
    assert.equal(bench.transport.aborted.length, 1);
  }
});

const STALLED = "timeout: No byte of the reply within 2 s (--stall-timeout)";

Deno.test("LoadWorker ends a request whose reply brings no byte for too long", async () => {
  const bench = await Bench.of({ stallTimeout: 2 });
  await bench.begin(closedPhase(3));
  await bench.time.pass(1500);
  bench.transport.begin(1, ["one"]);
  bench.transport.begin(2, ["one"]);
  await bench.time.pass(500);
  assert.deepEqual(bench.transport.aborted, [bench.transport.sent[0]], "nothing came");
  await bench.time.pass(1000);
  bench.transport.bring(2, ": ping\n\n");
  await bench.time.pass(500);
  assert.equal(bench.transport.aborted.at(-1), bench.transport.sent[1], "nothing more came");
  await bench.time.pass(1600);
  assert.ok(bench.transport.aborted.includes(bench.transport.sent[2] as Exchange), "one comment");
  assert.deepEqual(bench.errors.slice(0, 2), [STALLED, STALLED]);
  const ends = new Map(bench.column("index").map((at, row) => [at, bench.column("endNs")[row]]));
  assert.deepEqual([ends.get(0), ends.get(1), ends.get(2)], [3000e6, 4500e6, 6000e6]);
});

Deno.test("LoadWorker waits ten minutes for a byte of a stream, and longer for other replies", async () => {
  const cases: readonly [ProfileOptions, endMs: number | undefined][] = [
    [{}, 600_000],
    [{ streaming: false }, undefined],
    [{ streaming: false, stallTimeout: 30 }, 30_000],
    [{ stallTimeout: 0 }, undefined],
    [{ defaults: "aiperf" }, undefined],
    [{ stallTimeout: Infinity }, undefined],
  ];
  for (const [options, endMs] of cases) {
    const bench = await Bench.of(options);
    await bench.begin(closedPhase(1));
    await bench.time.pass((endMs ?? 700_000) - 1);
    assert.equal(bench.transport.aborted.length, 0);
    await bench.time.pass(1);
    assert.equal(bench.transport.aborted.length, endMs === undefined ? 0 : 1);
  }
});

Deno.test("LoadWorker does not take a reply that is over for one that stalls", async () => {
  const bench = await Bench.of({ stallTimeout: 0.5 });
  await bench.begin(closedPhase(1));
  bench.transport.begin(0, ["one"]);
  bench.transport.bring(0, "data: [DONE]\n\n");
  await bench.time.pass(600);
  assert.deepEqual(bench.errors, [undefined]);
});

Deno.test("LoadWorker does not take a request that waits after a 429 for one that stalls", async () => {
  const bench = await Bench.of({ stallTimeout: 2, on429: "wait" });
  await bench.begin(closedPhase(1));
  bench.transport.answer(0, "application/json", "{}", 429, [["Retry-After", "5"]]);
  await bench.time.pass(4900);
  assert.deepEqual(bench.transport.aborted, []);
  await bench.time.pass(1500);
  assert.equal(bench.transport.sent.length, 2);
  await bench.time.pass(2000);
  assert.deepEqual(bench.errors, [STALLED]);
});

Deno.test("LoadWorker ends what is under way when it is told to, and sends nothing more", async () => {
  const errors = {
    "cut_off": "cut_off: Still in flight at the end of the grace period",
    "interrupted": "cancelled: The run was interrupted",
    "given_up": "cancelled: The run ended early",
  } as const;
  for (const plan of [closedPhase(2), openPhase({ concurrency: 2 })]) {
    for (const reason of ["cut_off", "interrupted", "given_up"] as const) {
      const bench = await Bench.of();
      await bench.begin(plan);
      bench.control.setArrived(5);
      bench.worker.onArrival();
      assert.equal(bench.transport.sent.length, 2);
      bench.control.stop();
      bench.worker.stop();
      assert.equal(bench.toMain.length, 0, "they may end by themselves");
      bench.transport.reply(0);
      bench.worker.cancel(reason);
      assert.deepEqual(bench.errors, [undefined, errors[reason]]);
      assert.deepEqual([bench.transport.sent.length, bench.toMain.length], [2, 1]);
      const { inFlight, succeeded, failed, cancelled } = bench.control;
      const isFailure = reason === "cut_off";
      assert.deepEqual(
        [inFlight, succeeded, failed, cancelled],
        [0, 1, isFailure ? 1 : 0, isFailure ? 0 : 1],
      );
    }
  }
});

Deno.test("LoadWorker lets a request end that had been answered when it was to be ended", async () => {
  const bench = await Bench.of();
  await bench.begin(closedPhase(3));
  bench.control.stop();
  bench.transport.onAbort = (number) => {
    if (number === 0) bench.transport.reply(0);
    // The slot takes it for one that waits to be sent again.
    if (number === 1) bench.transport.answer(1, "application/json", "{}", 429);
  };
  bench.worker.cancel("cut_off");
  const [answered, limited, cut] = bench.errors;
  assert.equal(answered, undefined);
  assert.match(limited ?? "", /^(http_status|cut_off): /);
  assert.match(cut ?? "", /^cut_off: /);
  assert.equal(bench.errors.length, 3);
});

Deno.test("LoadWorker keeps what was measured of a request that it ends", async () => {
  const bench = await Bench.of();
  await bench.begin(closedPhase(1));
  await bench.time.pass(20);
  bench.transport.begin(0, ["one", "two"]);
  await bench.time.pass(30);
  bench.control.stop();
  bench.worker.cancel("cut_off");
  assert.deepEqual(bench.column("chunkCount"), [2]);
  assert.deepEqual(bench.column("firstOutputChunk"), [0]);
  assert.deepEqual(bench.blocks.map(({ chunkNs }) => [...chunkNs]), [[1020e6, 1020e6]]);
  assert.deepEqual(bench.column("endNs"), [1050e6]);
});

Deno.test("LoadWorker sends nothing more when the first ten requests were refused, and says why", async () => {
  for (const plan of [closedPhase(3), openPhase()]) {
    const bench = await Bench.of();
    await bench.begin(plan);
    bench.control.setArrived(30);
    bench.worker.onArrival();
    for (let number = 0; number < 10; number++) {
      bench.transport.answer(number, "application/json", `{"detail":"no key"}`, 401);
    }
    const { sent } = bench.transport;
    const sentBefore = sent.length;
    assert.equal(bench.control.stopped, true);
    assert.equal(bench.toMain.length, 1);
    assert.deepEqual(bench.toMain[0], {
      type: "givenUp",
      end: {
        reason: "all_refused",
        text: "the first 10 requests were all refused, the last one with HTTP 401: no key " +
          "(check --api-key)",
      },
    });
    for (let number = 10; number < sentBefore; number++) {
      bench.transport.answer(number, "application/json", `{"detail":"no key"}`, 401);
    }
    assert.equal(sent.length, sentBefore);
    assert.deepEqual(bench.toMain.map(({ type }) => type), ["givenUp", "phaseDone"]);
  }
});

Deno.test("LoadWorker goes on while its server is away, and gives it up after ten seconds", async () => {
  for (const plan of [closedPhase(2), openPhase()]) {
    const bench = await Bench.of();
    await bench.begin(plan);
    const { sent } = bench.transport;
    let arrived = 0;
    let answered = 0;
    /** Has an arrival every 10 ms, and ends what is under way. */
    const play = async (milliseconds: number, end: (number: number) => void): Promise<void> => {
      for (let passed = 0; passed < milliseconds; passed += 10) {
        bench.control.setArrived(++arrived);
        bench.worker.onArrival();
        for (const underWay = sent.length; answered < underWay; answered++) end(answered);
        await bench.time.pass(10);
      }
    };
    await play(50, (number) => bench.transport.reply(number));
    await play(9000, (number) => bench.transport.fail(number, "connect"));
    await play(50, (number) => bench.transport.reply(number));
    assert.equal(bench.toMain.length, 0);
    const before = sent.length;
    await play(10_500, (number) => bench.transport.fail(number, "connect"));
    assert.deepEqual(bench.toMain.map(({ type }) => type), ["givenUp", "phaseDone"]);
    assert.match(
      bench.toMain.map((word) => word.type === "givenUp" ? word.end.text : "").join(""),
      /^the server was unreachable for 10 s, in \d+ attempts in a row, .* connect on purpose$/,
    );
    const attempts = sent.length - before;
    // Users pause longer and longer; an arrival process goes on as it is.
    if (plan.load.loop === "closed") assert.ok(attempts <= 2 * 15, `${attempts} attempts`);
    else assert.ok(attempts >= 990, `${attempts} attempts`);
  }
});

Deno.test("LoadWorker says when its thread stood still", async () => {
  const bench = await Bench.of();
  await bench.begin(closedPhase(1));
  await bench.time.pass(1000);
  bench.time.sleep(5000);
  await bench.time.pass(1000);
  bench.control.stop();
  bench.transport.reply(0);
  const [word] = bench.toMain;
  assert.deepEqual(word?.type === "phaseDone" ? word.stalls : [], [
    { startNs: 1e9 + 1100e6, endNs: 1e9 + 6000e6 },
  ]);
});

Deno.test("LoadWorker has a user wait when a connection does not come about", async () => {
  const bench = await Bench.of();
  await bench.begin(closedPhase(1));
  bench.transport.fail(0, "connect");
  await bench.time.pass(99);
  assert.equal(bench.transport.sent.length, 1);
  await bench.time.pass(1);
  bench.transport.fail(1, "tls");
  await bench.time.pass(100);
  assert.equal(bench.transport.sent.length, 3);
});

Deno.test("LoadWorker passes records on when there are many of them, or much, and at each tick", async () => {
  const bench = await Bench.of();
  await bench.begin(closedPhase(1));
  for (let number = 0; number < 32; number++) {
    assert.equal(bench.toResults.length, 0);
    bench.transport.reply(number);
  }
  assert.deepEqual(bench.blocks.map(({ count }) => count), [32]);
  bench.transport.reply(32, "x".repeat(300_000));
  assert.deepEqual(bench.blocks.map(({ count }) => count), [32, 1]);
  bench.transport.reply(33);
  await bench.time.pass(99);
  assert.equal(bench.blocks.length, 2);
  await bench.time.pass(1);
  assert.deepEqual(bench.blocks.map(({ count }) => count), [32, 1, 1]);
  await bench.time.pass(1000);
  assert.equal(bench.toResults.length, 3, "nothing is passed on where there is nothing");
});

Deno.test("LoadWorker shows at each tick that it lives, also between phases", async () => {
  const bench = await Bench.of();
  await bench.time.pass(1000);
  assert.equal(bench.control.beats(3), 10);
  await bench.begin(closedPhase(1));
  await bench.time.pass(1000);
  assert.equal(bench.control.beats(3), 20);
});

Deno.test("LoadWorker finds at its tick what nobody tells it: arrivals, and users not admitted", async () => {
  const open = await Bench.of();
  await open.begin(openPhase({ concurrency: 1 }));
  await open.time.pass(20);
  open.control.setArrived(1);
  await open.time.pass(80);
  assert.equal(open.transport.sent.length, 1);
  const closed = await Bench.of();
  await closed.begin(closedPhase(6));
  await closed.time.pass(99);
  assert.equal(closed.transport.sent.length, 4);
  await closed.time.pass(1);
  assert.equal(closed.transport.sent.length, 6);
});

Deno.test("LoadWorker sends a request again that was answered with 429, when the server says", async () => {
  const bench = await Bench.of({ on429: "wait", url: ["127.0.0.1:1"] });
  await bench.begin(closedPhase(1, { requestCount: 1 }));
  await bench.time.pass(10);
  bench.transport.answer(0, "text/plain", "slow down", 429, [["retry-after", "2"]]);
  await bench.time.pass(1999);
  assert.equal(bench.transport.sent.length, 1);
  assert.deepEqual([bench.control.inFlight, bench.toMain.length], [1, 0]);
  await bench.time.pass(1);
  assert.equal(bench.transport.sent.length, 2);
  bench.transport.reply(1);
  assert.deepEqual(bench.errors, [undefined]);
  assert.deepEqual(bench.column("limitedCount"), [1]);
  assert.deepEqual(bench.column("limitedNs"), [2010e6]);
  assert.deepEqual(bench.column("intendedNs"), [1000e6]);
  assert.deepEqual(bench.column("startNs"), [3010e6]);
  assert.equal(bench.control.succeeded, 1);
});

Deno.test("LoadWorker gives up a request with all its waits when its time is over", async () => {
  const bench = await Bench.of({
    ...{ on429: "wait", requestTimeoutSeconds: 2.5, url: ["127.0.0.1:1"] },
  });
  await bench.begin(closedPhase(1, { requestCount: 1 }));
  bench.transport.answer(0, "text/plain", "slow down", 429, [["retry-after", "1"]]);
  await bench.time.pass(1000);
  bench.transport.answer(1, "text/plain", "slow down", 429, [["retry-after", "1"]]);
  await bench.time.pass(1000);
  assert.equal(bench.transport.sent.length, 3);
  await bench.time.pass(400);
  assert.deepEqual(bench.errors, []);
  await bench.time.pass(200);
  assert.deepEqual(bench.errors, ["timeout: No complete reply within 2.5 s"]);
});

Deno.test("LoadWorker fails what waits after a 429 when nothing more is sent, with the reply it had", async () => {
  const bench = await Bench.of({ on429: "wait", url: ["127.0.0.1:1"] });
  await bench.begin(closedPhase(1));
  bench.transport.answer(0, "text/plain", "slow down", 429);
  assert.deepEqual(bench.errors, []);
  bench.control.stop();
  bench.worker.stop();
  assert.deepEqual(bench.errors, ["http_status: HTTP 429: slow down"]);
  assert.equal(bench.toMain.length, 1, "the phase is done");
});

Deno.test("LoadWorker sends a request again after a 429 whose body was cut off", async () => {
  const bench = await Bench.of({ on429: "wait", url: ["127.0.0.1:1"] });
  await bench.begin(closedPhase(1, { requestCount: 1 }));
  const { sink } = bench.transport.sent[0] as Exchange;
  const headers: ResponseHead["headers"] = [["retry-after", "2"]];
  sink.onHead({ status: 429, reason: "", headers }, 0);
  bench.transport.fail(0, "truncated");
  await bench.time.pass(2000);
  assert.deepEqual([bench.errors, bench.transport.sent.length], [[], 2]);
  bench.transport.reply(1);
  assert.deepEqual(bench.errors, [undefined]);
});

Deno.test("LoadWorker sends a request again after a 429 when the last one of all sessions was sent", async () => {
  const bench = await Bench.of({ on429: "wait", url: ["127.0.0.1:1"] });
  await bench.begin(closedPhase(1, { requestCount: 1 }));
  bench.control.stop();
  bench.transport.answer(0, "text/plain", "slow down", 429, [["retry-after", "2"]]);
  await bench.time.pass(2000);
  assert.deepEqual([bench.errors, bench.transport.sent.length], [[], 2]);
  bench.transport.reply(1);
  assert.deepEqual(bench.errors, [undefined]);
  assert.equal(bench.toMain.length, 1, "the phase is done");
});

Deno.test("LoadWorker counts no wait before a job's start that came after it", async () => {
  const bench = await Bench.of({
    ...{ endpointType: "video-generation", streaming: false, on429: "wait", url: ["127.0.0.1:1"] },
  });
  await bench.begin(closedPhase(1, { requestCount: 1 }));
  const { transport, time } = bench;
  const job = (status: string): string => JSON.stringify({ "id": "v", status });
  transport.answer(0, "application/json", job("queued"));
  await time.pass(100);
  transport.answer(1, "text/plain", "slow down", 429, [["retry-after", "2"]]);
  await time.pass(2000);
  transport.answer(2, "application/json", job("completed"));
  assert.deepEqual(bench.errors, [undefined]);
  assert.deepEqual([bench.column("limitedCount"), bench.column("limitedNs")], [[1], [0]]);
});

Deno.test("LoadWorker gives a job no more time when a look at it was answered with 429", async () => {
  const job = JSON.stringify({ "id": "v", "status": "queued" });
  const jobAfterLook = async (lookAfterMs: number) => {
    const bench = await Bench.of({
      ...{ endpointType: "video-generation", streaming: false, url: ["127.0.0.1:1"] },
      ...{ on429: "wait", requestTimeoutSeconds: 2.5 },
    });
    await bench.begin(closedPhase(1, { requestCount: 1 }));
    await bench.time.pass(lookAfterMs);
    bench.transport.answer(0, "application/json", job);
    await bench.time.pass(100);
    bench.transport.answer(1, "text/plain", "slow down", 429, [["retry-after", "2"]]);
    return bench;
  };
  const inTime = await jobAfterLook(200);
  await inTime.time.pass(2000);
  assert.deepEqual([inTime.errors, inTime.transport.sent.length], [[], 3]);
  await inTime.time.pass(250);
  assert.deepEqual(inTime.errors, ["timeout: No complete reply within 2.5 s"]);
  const late = await jobAfterLook(500);
  assert.deepEqual(late.errors, ["http_status: HTTP 429: slow down"], "the wait would be too long");
});

Deno.test("LoadWorker fails a request that was answered with 429 unless it is to wait", async () => {
  const bench = await Bench.of({ url: ["127.0.0.1:1"] });
  await bench.begin(closedPhase(1, { requestCount: 1 }));
  bench.transport.answer(0, "text/plain", "slow down", 429, [["Retry-After", "2"]]);
  assert.deepEqual(bench.errors, ["http_status: HTTP 429: slow down"]);
});

Deno.test("LoadWorker cancels on purpose after the request was written, keeps its chunks, and its user goes on", async () => {
  const bench = await Bench.of();
  const cancellation = { share: 1, delayNs: 50e6 };
  await bench.begin(closedPhase(1, { requestCount: 2, cancellation }));
  await bench.time.pass(200);
  assert.equal(bench.transport.aborted.length, 0, "nothing is cancelled that is not written");
  bench.transport.begin(0, ["one", "two"]);
  await bench.time.pass(49);
  assert.equal(bench.transport.aborted.length, 0);
  await bench.time.pass(1);
  assert.deepEqual(bench.transport.aborted, [bench.transport.sent[0]]);
  assert.equal(bench.transport.sent.length, 2);
  await bench.time.pass(100);
  assert.deepEqual(bench.errors, [
    "cancelled_on_purpose: Cancelled on purpose 0.05 s after it was sent",
  ]);
  assert.deepEqual(bench.column("chunkCount"), [2]);
  assert.deepEqual([bench.control.failed, bench.control.cancelled], [0, 1]);
});

Deno.test("LoadWorker has so many requests without a token as it may, and the next when one has its first", async () => {
  for (const plan of [closedPhase(4), openPhase()]) {
    const bench = await Bench.of();
    await bench.begin({ ...plan, prefill: { limit: 2, ramp: undefined } });
    bench.control.setArrived(4);
    bench.worker.onArrival();
    const { transport } = bench;
    assert.equal(transport.sent.length, 2);
    await bench.time.pass(30);
    const { sink } = transport.sent[0] as Exchange;
    assert.equal(sink.isAwaited, true, "its first token is not to lie about");
    transport.begin(0, ["one"]);
    assert.equal(sink.isAwaited, false);
    assert.equal(transport.sent.length, 3, "the first one's token makes room");
    transport.begin(0, ["two"]);
    assert.equal(transport.sent.length, 3, "its second one does not");
    transport.fail(1, "truncated");
    assert.equal(transport.sent.length, 4, "an end makes room");
    assert.equal(bench.control.prefill.inside, 2);
    bench.control.stop();
    bench.worker.stop();
    bench.worker.cancel("interrupted");
    assert.equal(bench.control.prefill.inside, 0);
    // A user who found nobody home is back after a while.
    await bench.time.pass(1000);
    assert.equal(bench.toMain.at(-1)?.type, "phaseDone");
    const claimed = bench.column("claimedNs").toSorted((a, b) => a - b);
    assert.deepEqual(claimed.slice(2).map((ns) => ns >= 1030e6), [true, true], "waiting is told");
  }
});

Deno.test("LoadWorker keeps no room for a request that is cancelled while it waits to be sent again", async () => {
  const bench = await Bench.of({ on429: "wait", url: ["127.0.0.1:1"] });
  const { control, time } = bench;
  const cancellation = { share: 1, delayNs: 150e6 };
  const prefill = { limit: 2, ramp: undefined };
  await bench.begin(closedPhase(4, { requestCount: 5, cancellation, prefill }));
  const { transport } = bench;
  transport.answer(0, "text/plain", "slow down", 429, [["retry-after", "0"]]);
  assert.equal(transport.sent.length, 3, "it leaves its room to the third one while it waits");
  await time.pass(149);
  assert.deepEqual(
    [transport.sent.length, control.prefill.inside],
    [3, 2],
    "there is no room for it",
  );
  await time.pass(1);
  assert.equal(control.cancelled, 1);
  // The fourth one, which waited before it, has its slot now.
  transport.reply(1);
  transport.reply(2);
  assert.deepEqual([transport.sent.length, control.prefill.inside], [5, 2]);
  transport.reply(3);
  transport.reply(4);
  assert.deepEqual([control.prefill.inside, control.succeeded], [0, 4]);
  assert.equal(bench.toMain.at(-1)?.type, "phaseDone");
});

Deno.test("LoadWorker stops when more of twenty replies have failed than may, and says so", async () => {
  const bench = await Bench.of({ maxErrorRate: 0.1, url: ["127.0.0.1:1"] });
  await bench.begin(closedPhase(1));
  for (let number = 0; number < 20; number++) {
    assert.equal(bench.toMain.length, 0, `after ${number} replies`);
    if (number % 5 === 0) bench.transport.answer(number, "text/plain", "broken", 500);
    else bench.transport.reply(number);
  }
  assert.deepEqual(bench.toMain[0], {
    type: "givenUp",
    end: {
      reason: "error_rate",
      text: "4 of 20 requests failed, more than --max-error-rate 0.1 allows",
    },
  });
});

Deno.test("LoadWorker notes the most that a request's chunks can have lain unread, and behind others", async () => {
  const bench = await Bench.of();
  await bench.begin(closedPhase(1, { requestCount: 2 }));
  const event = (content: string): string =>
    `data: ${JSON.stringify({ "choices": [{ "index": 0, "delta": { content } }] })}\n\n`;
  /** A read that brings tokens which were written after a time. */
  const read = (number: number, sinceMs: number, tokens: readonly string[]): void => {
    const { sink, trace } = bench.transport.sent[number] as (typeof bench.transport.sent)[0];
    const body = new TextEncoder().encode(tokens.map(event).join(""));
    // The run's clock is a second ahead.
    trace.unreadSinceNs = (1000 + sinceMs) * 1e6;
    trace.piledSinceNs = trace.unreadSinceNs - 1e6;
    sink.onBody(body, 0, body.length, (1000 + bench.time.nowNs() / 1e6) * 1e6);
  };
  await bench.time.pass(20);
  bench.transport.begin(0, []);
  read(0, 17, ["first"]);
  await bench.time.pass(10);
  read(0, 28, ["second", "third"]);
  await bench.time.pass(10);
  read(0, 39, ["fourth"]);
  read(0, 38, []);
  bench.transport.fail(0, "truncated");
  await bench.time.pass(200);
  assert.deepEqual(bench.column("firstWaitNs"), [3e6]);
  assert.deepEqual(bench.column("secondWaitNs"), [2e6]);
  assert.deepEqual(bench.column("lastWaitNs"), [1e6]);
  assert.deepEqual(bench.column("firstPiledNs"), [4e6]);
  assert.deepEqual(bench.column("secondPiledNs"), [3e6]);
  assert.deepEqual(bench.column("lastPiledNs"), [2e6]);
  // The next one in its place has a single chunk, and nothing of the one before.
  bench.transport.begin(1, []);
  read(1, bench.time.nowNs() / 1e6 - 5, ["only"]);
  bench.transport.fail(1, "truncated");
  await bench.time.pass(200);
  assert.deepEqual(bench.column("firstPiledNs"), [4e6, 6e6]);
  assert.deepEqual(bench.column("secondWaitNs"), [2e6, NaN]);
  assert.deepEqual(bench.column("secondPiledNs"), [3e6, NaN]);
});

Deno.test("LoadWorker reads canaries from before its first phase to the end of the measured one", async () => {
  const bench = await Bench.of({}, {
    origin: { protocol: "http:", hostname: "x", port: 1, addresses: ["x"], host: "x:1" },
    ...{ transport: "socket", token: "/token", cells: new CanaryCells(4).buffer },
  });
  bench.worker.openCanaries();
  const [canaries, requests] = [0, 1].map((number) => () => bench.transports[number]);
  assert.ok((canaries?.()?.sent.length ?? 0) > 0);
  for (const [kind, aborted] of [["warmup", false], ["profiling", true]] as const) {
    await bench.begin(closedPhase(1, { kind, requestCount: 1 }));
    requests?.()?.reply((requests()?.sent.length ?? 0) - 1);
    await bench.time.pass(0);
    assert.equal(bench.toMain.at(-1)?.type, "phaseDone");
    assert.equal((canaries?.()?.aborted.length ?? 0) > 0, aborted, kind);
  }
});

Deno.test("LoadWorker leaves no canaries behind that no phase has used", async () => {
  const bench = await Bench.of({}, {
    origin: { protocol: "http:", hostname: "x", port: 1, addresses: ["x"], host: "x:1" },
    ...{ transport: "socket", token: "/token", cells: new CanaryCells(4).buffer },
  });
  bench.worker.openCanaries();
  bench.worker.close();
  const { aborted, sent } = bench.transport;
  assert.deepEqual(aborted, sent);
  assert.equal(bench.time.pending, 0);
});
