import assert from "node:assert/strict";
import { CANARY_FIELD_COUNT, CANARY_KIND } from "../../../src/measurement/canary/canary_kind.ts";
import { canaryChunk } from "../../../src/measurement/canary/canary_message.ts";
import { type CanaryOrders, CanaryReader } from "../../../src/load/worker/canary_reader.ts";
import { ASKING_CONNECTIONS, CanaryServer } from "../../../src/measurement/canary/canary_server.ts";
import { createTransport } from "../../../src/client/http/create_transport.ts";
import { pause, SYSTEM_TIMERS } from "../../../src/core/thread/timers.ts";
import type { Exchange } from "../../../src/client/http/transport.ts";
import { FakeTime } from "../../support/fake_time.ts";
import { ScriptedTransport } from "../../support/scripted_transport.ts";

const ORIGIN = { scheme: "http", host: "127.0.0.1", port: 1 } as never;

function reader(
  time: FakeTime,
  more: Partial<CanaryOrders> = {},
): { reader: CanaryReader; transport: ScriptedTransport } {
  const transport = new ScriptedTransport(() => time.nowNs());
  return {
    transport,
    reader: new CanaryReader({
      worker: 2,
      orders: {
        ...{ origin: ORIGIN, transport: "socket", token: "/token" },
        cells: new SharedArrayBuffer(0),
        ...more,
      },
      timers: time,
      nowNs: () => time.nowNs(),
      createTransport: () => transport,
    }),
  };
}

Deno.test("CanaryReader notes a stall from when its timer was due to when it came", async () => {
  const time = new FakeTime();
  const { reader: canaries } = reader(time);
  canaries.begin();
  time.sleep(40);
  await time.pass(0);
  assert.deepEqual([...canaries.take()], [CANARY_KIND.stall, 15e6, NaN, 40e6]);
  canaries.close();
});

Deno.test("CanaryReader takes a timer that is a little late for no stall", async () => {
  const time = new FakeTime();
  const { reader: canaries } = reader(time);
  canaries.begin();
  time.sleep(18);
  await time.pass(200);
  assert.equal(canaries.count, 0);
  time.sleep(19);
  await time.pass(0);
  assert.equal(canaries.count, 1, "a tick 4 ms too late is a stall");
  canaries.close();
});

Deno.test("CanaryReader notes a stall that is over when it ends, too", async () => {
  const time = new FakeTime();
  const { reader: canaries } = reader(time);
  canaries.begin();
  await time.pass(15);
  time.sleep(40);
  canaries.close();
  assert.deepEqual([...canaries.take()], [CANARY_KIND.stall, 30e6, NaN, 55e6]);
  assert.equal(time.pending, 0);
});

Deno.test("CanaryReader connects at once, and notes no stall before the phase", async () => {
  const time = new FakeTime();
  const { reader: canaries, transport } = reader(time);
  assert.ok(transport.sent.length > 1);
  time.sleep(40);
  await time.pass(100);
  canaries.begin();
  await time.pass(100);
  assert.equal(canaries.count, 0);
  time.sleep(40);
  await time.pass(0);
  assert.deepEqual([...canaries.take()], [CANARY_KIND.stall, 245e6, NaN, 280e6]);
  canaries.close();
});

Deno.test("CanaryReader can be closed before the phase", () => {
  const time = new FakeTime();
  const { reader: canaries, transport } = reader(time);
  time.sleep(40);
  canaries.close();
  assert.equal(canaries.count, 0);
  assert.equal(transport.aborted.length, transport.sent.length);
  assert.equal(time.pending, 0);
});

Deno.test("CanaryReader asks for its worker's canaries, and stamps them when they are read", () => {
  const time = new FakeTime();
  const { reader: canaries, transport } = reader(time);
  assert.ok(transport.sent.length > 1);
  assert.ok(transport.sent.every(({ request }) => request.path === "/token/2"));
  // The numbers of the message alone: the framing is the transport's.
  const message = canaryChunk(CANARY_KIND.first, 5, () => 7).slice(4, 4 + 24);
  transport.sent[0]?.sink.onBody(message, 0, 10, 8);
  assert.equal(canaries.count, 0, "not whole yet");
  transport.sent[0]?.sink.onBody(message, 10, message.length, 9);
  assert.deepEqual([...canaries.take()], [CANARY_KIND.first, 5, 7, 9]);
  assert.equal(canaries.count, 0, "taken");
  canaries.close();
  assert.equal(transport.aborted.length, transport.sent.length);
  assert.equal(time.pending, 0);
});

Deno.test("CanaryReader says when a canary lay unread longer than turns of the event loop allow", () => {
  const time = new FakeTime();
  const { reader: canaries, transport } = reader(time);
  const { sink, trace } = transport.sent[0] as (typeof transport.sent)[0];
  const read = (writtenNs: number, unreadSinceNs: number): number[] => {
    trace.unreadSinceNs = unreadSinceNs;
    const message = canaryChunk(CANARY_KIND.poisson, 1e6, () => writtenNs).slice(4, 4 + 24);
    sink.onBody(message, 0, message.length, 9e6);
    return [...canaries.take()];
  };
  const row = [CANARY_KIND.poisson, 1e6, 2e6, 9e6];
  assert.deepEqual(read(2e6, 4e6), [...row, CANARY_KIND.contradiction, 2e6, 4e6, 9e6]);
  assert.deepEqual(read(2e6, 1e6), row);
  assert.deepEqual(read(2e6, 2.5e6), row, "the canary thread may have been held up");
  assert.deepEqual(read(2e6, NaN), row);
  canaries.close();
});

Deno.test("CanaryReader asks for replies with a canary, and again after each that had one", () => {
  const time = new FakeTime();
  const { reader: canaries, transport } = reader(time, { asked: "first" });
  const asking = () => transport.sent.filter(({ request }) => request.path === "/token/2/first");
  const asked = asking().length;
  assert.ok(asked > 1);
  assert.ok(transport.sent.length > asked, "streams, too");
  const [one, other] = asking() as [Exchange, Exchange];
  const message = canaryChunk(CANARY_KIND.first, 5, () => 7).slice(4, 4 + 24);
  one.sink.onBody(message, 0, message.length, 9);
  one.sink.onEnd(9);
  assert.equal(asking().length, asked + 1);
  assert.deepEqual([...canaries.take()], [CANARY_KIND.first, 5, 7, 9]);
  // Whoever answers without a canary is not asked for ever.
  other.sink.onEnd(9);
  assert.equal(asking().length, asked + 1);
  canaries.close();
  assert.ok(!transport.aborted.includes(one), "it has ended");
  assert.ok(transport.aborted.includes(asking().at(-1) as Exchange));
});

for (const reuse of ["pooled", "never"] as const) {
  Deno.test(`CanaryReader is answered over fetch again and again, connections ${reuse}`, async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const server = new CanaryServer(1, "/token", true);
    const accepted = server.accept(listener);
    const { port } = listener.addr as Deno.NetAddr;
    const nowNs = () => performance.now() * 1e6;
    let asked = 0;
    const canaries = new CanaryReader({
      worker: 0,
      orders: {
        origin: {
          ...{ protocol: "http:", hostname: "127.0.0.1", port, addresses: ["127.0.0.1"] },
          host: `127.0.0.1:${port}`,
        },
        ...{ transport: "fetch", asked: "any", reuse, token: "/token" },
        cells: new SharedArrayBuffer(0),
      },
      timers: SYSTEM_TIMERS,
      nowNs,
      createTransport(options) {
        const transport = createTransport("fetch", options);
        const send = transport.send.bind(transport);
        transport.send = (exchange) => {
          asked += exchange.request.path.endsWith("/any") ? 1 : 0;
          send(exchange);
        };
        return transport;
      },
    });
    while (asked < 3 * ASKING_CONNECTIONS) {
      server.write(0, CANARY_KIND.last, 0, nowNs);
      await pause(SYSTEM_TIMERS, 0);
    }
    // The last ones asked for are not there yet.
    assert.ok(canaries.count >= 2 * ASKING_CONNECTIONS);
    const rows = canaries.take();
    for (let at = 0; at < rows.length; at += CANARY_FIELD_COUNT) {
      const [kind, , written, read] = rows.subarray(at, at + CANARY_FIELD_COUNT);
      // On a busy machine this thread stands still.
      if (kind === CANARY_KIND.stall) continue;
      assert.equal(kind, CANARY_KIND.last);
      assert.ok((read as number) > (written as number));
    }
    canaries.close();
    listener.close();
    server.close();
    await accepted;
  });
}
