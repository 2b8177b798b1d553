/** The faults that the mock server can inject, as they look on the wire. */

import assert from "node:assert/strict";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { FAULT_KINDS, type FaultKind } from "../../src/mock/mock_options.ts";
import { withMock } from "../support/local_mock.ts";
import { exchangeOnce, RawConnection, type WireReply } from "../support/raw_connection.ts";
import { streamEvents } from "../support/stream_events.ts";
import { until } from "../support/until.ts";

const CHAT = "/v1/chat/completions";
const TOKENS = 8;

function body(stream: boolean): Record<string, unknown> {
  return {
    "messages": [{ "role": "user", "content": "hello" }],
    "stream": stream,
    "max_tokens": TOKENS,
  };
}

/** What a fault must look like: how the reply ends, and what of it is there. */
interface Symptom {
  readonly end: WireReply["end"];
  readonly check: (reply: WireReply) => void;
}

/** The events that came before the fault, and no end of the stream. */
function isHalfStream({ status, body }: WireReply): void {
  assert.equal(status, 200);
  const events = streamEvents(body.slice(0, body.lastIndexOf("\n\n") + 2));
  assert.equal(events.contentChunks, TOKENS / 2);
  assert.equal(events.finishReason, null);
  assert.equal(events.isDone, false);
}

function isHalfBody({ status, body }: WireReply): void {
  assert.equal(status, 200);
  assert.ok(body.startsWith('{"id":'));
  assert.throws(() => JSON.parse(body));
}

function isStatus(status: number): (reply: WireReply) => void {
  return (reply) => {
    assert.equal(reply.status, status);
    assert.equal(JSON.parse(reply.body).error.message, `Injected fault ${status}`);
  };
}

const STREAMED: Readonly<Record<Exclude<FaultKind, "stall">, Symptom>> = {
  "429": { end: "complete", check: isStatus(429) },
  "500": { end: "complete", check: isStatus(500) },
  "reset": { end: "closed", check: isHalfStream },
  "close": { end: "complete", check: isHalfStream },
  "malformed": {
    end: "complete",
    check({ body }) {
      assert.ok(body.includes("data: {broken\n\n"));
      const events = streamEvents(body.replace("data: {broken\n\n", ""));
      assert.equal(events.contentChunks, TOKENS / 2, "the broken event took the others' place");
      assert.ok(events.isDone);
    },
  },
  "in-band": {
    end: "complete",
    check({ status, body }) {
      assert.equal(status, 200);
      const data = body.split("\n\n").map((event) => event.slice("data: ".length));
      assert.equal(data.at(-2), "[DONE]");
      assert.equal(JSON.parse(data.at(-3) ?? "").error.message, "Injected fault in-band");
    },
  },
};

const WHOLE: Readonly<Record<Exclude<FaultKind, "stall">, Symptom>> = {
  "429": STREAMED["429"],
  "500": STREAMED["500"],
  "reset": { end: "closed", check: isHalfBody },
  "close": { end: "closed", check: isHalfBody },
  "malformed": { end: "complete", check: isHalfBody },
  "in-band": {
    end: "complete",
    check({ status, body }) {
      assert.equal(status, 200);
      assert.equal(JSON.parse(body).error.message, "Injected fault in-band");
    },
  },
};

for (
  const [form, symptoms] of [["streamed", STREAMED], ["whole", WHOLE]] as const
) {
  for (const [kind, { end, check }] of Object.entries(symptoms)) {
    Deno.test(`MockServer injects ${kind} into a ${form} reply`, () =>
      withMock({ faults: new Map([[kind as FaultKind, 1]]) }, async ({ server, stats }) => {
        const reply = await exchangeOnce(server.port, "POST", CHAT, body(form === "streamed"));
        assert.equal(reply.end, end);
        check(reply);
        const [served] = await until("the request's end", async () => {
          const { served } = await stats();
          return served.length > 0 && served;
        });
        assert.equal(served?.outcome, kind);
        assert.equal((await stats()).succeeded, 0);
      }));
  }

  Deno.test(`MockServer stalls in a ${form} reply until the client gives up`, () =>
    withMock({ faults: new Map([["stall", 1]]) }, async ({ server, stats }) => {
      using connection = await RawConnection.open(server.port);
      await connection.send("POST", CHAT, body(form === "streamed"));
      await until("the request is served", () => isRunning(server.port, 1));
      assert.equal((await stats()).served.length, 0);
      connection.close();
      await until("the server notices", async () => (await stats()).served.length === 1);
      assert.equal((await stats()).served[0]?.outcome, "stall");
      assert.ok(await isRunning(server.port, 0));
    }));

  Deno.test(`MockServer survives clients that leave a ${form} reply`, () =>
    withMock({
      ttft: latencyDistribution("5"),
      itl: latencyDistribution("5"),
      slots: 1,
    }, async ({ server, stats }) => {
      for (let round = 0; round < 3; round++) {
        using connection = await RawConnection.open(server.port);
        await connection.send("POST", CHAT, body(form === "streamed"));
        await until("the request is there", async () => (await stats()).requests > round);
        connection.close();
        await until("its slot is free", () => isRunning(server.port, 0));
      }
      const last = await exchangeOnce(server.port, "POST", CHAT, body(form === "streamed"));
      assert.equal(last.end, "complete");
      assert.equal((await stats()).served.length, 4);
    }));
}

/** Whether so many requests are served at this moment. */
async function isRunning(port: number, count: number): Promise<boolean> {
  const { body } = await exchangeOnce(port, "GET", "/metrics");
  return new RegExp(`^vllm:num_requests_running\\{.*\\} ${count}\\.0$`, "m").test(body);
}

Deno.test("MockServer keeps a connection whose reply ended in an orderly way", async () => {
  for (const kind of ["429", "500", "malformed", "in-band"] as const) {
    await withMock({ faults: new Map([[kind, 1]]) }, async ({ server }) => {
      using connection = await RawConnection.open(server.port);
      for (let round = 0; round < 3; round++) {
        await connection.send("POST", CHAT, body(round % 2 === 0));
        assert.equal((await connection.reply()).end, "complete", kind);
      }
    });
  }
});

async function outcomesOf(seed: number, count: number, rates: Map<FaultKind, number>) {
  const outcomes: string[] = [];
  await withMock({ seed, faults: rates }, async ({ server, stats }) => {
    using connection = await RawConnection.open(server.port);
    for (let number = 0; number < count; number++) {
      await connection.send("POST", CHAT, body(false));
      assert.equal((await connection.reply()).end, "complete");
    }
    outcomes.push(...(await stats()).served.map(({ outcome }) => outcome));
  });
  return outcomes;
}

Deno.test("MockServer injects each fault into its share of the requests", async () => {
  const rates = new Map<FaultKind, number>([["429", 0.25], ["in-band", 0.1], ["malformed", 0]]);
  const count = 600;
  const outcomes = await outcomesOf(5, count, rates);
  for (const kind of FAULT_KINDS) {
    const rate = rates.get(kind) ?? 0;
    const found = outcomes.filter((outcome) => outcome === kind).length;
    // Five deviations of a binomial distribution; the seed is fixed, so this does not vary.
    const tolerance = 5 * Math.sqrt(count * rate * (1 - rate));
    assert.ok(Math.abs(found - rate * count) <= tolerance, `${found} of ${count} are ${kind}`);
  }
});

Deno.test("MockServer fails the same requests with the same seed, others with another", async () => {
  const rates = new Map<FaultKind, number>([["429", 0.3], ["500", 0.3]]);
  const first = await outcomesOf(11, 60, rates);
  assert.deepEqual(await outcomesOf(11, 60, rates), first);
  assert.notDeepEqual(await outcomesOf(12, 60, rates), first);
});
