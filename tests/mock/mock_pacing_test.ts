/** The times that the mock server promises, against its own truth and against its client's clock. */

import assert from "node:assert/strict";
import { randomStream } from "../../src/core/statistics/random_stream.ts";
import {
  type LatencyDistribution,
  latencyDistribution,
} from "../../src/mock/latency_distribution.ts";
import { withMock } from "../support/local_mock.ts";
import type { ServedRequest } from "../support/mock_process.ts";
import { exchangeOnce, RawConnection } from "../support/raw_connection.ts";

const CHAT = "/v1/chat/completions";
/** Rounding of times since 1970 that are kept as milliseconds in doubles. */
const EPOCH_ROUNDING_MS = 0.001;

function body(stream: boolean, tokens: number): Record<string, unknown> {
  return {
    "messages": [{ "role": "user", "content": "hello" }],
    "stream": stream,
    "max_tokens": tokens,
  };
}

/** The delays that a request of that number is to have. */
function plannedMs(
  seed: number,
  number: number,
  chunks: number,
  ttft: LatencyDistribution,
  itl: LatencyDistribution,
): number[] {
  const random = randomStream(seed, "mock.delays", number);
  let atMs = 0;
  return Array.from({ length: chunks }, (_, index) => {
    atMs += index === 0 ? ttft(random) : itl(random);
    return atMs;
  });
}

Deno.test("MockServer writes no chunk before its time, by its own truth", async () => {
  const ttft = latencyDistribution("uniform:0:30");
  const itl = latencyDistribution("exponential:3");
  const seed = 9;
  const requests = 12;
  const tokens = 10;
  await withMock({ ttft, itl, seed }, async ({ server, stats }) => {
    for (let number = 0; number < requests; number++) {
      await exchangeOnce(server.port, "POST", CHAT, body(true, tokens));
    }
    const { served } = await stats();
    served.forEach(({ sent_after_ms: sentAfterMs, output_tokens: outputTokens }, number) => {
      assert.equal(outputTokens, tokens);
      const planned = plannedMs(seed, number, tokens, ttft, itl);
      assert.equal(sentAfterMs.length, planned.length);
      sentAfterMs.forEach((sentMs, chunk) => {
        const dueMs = planned[chunk] as number;
        assert.ok(sentMs >= dueMs - 1e-6, `chunk ${chunk} of ${number}: ${sentMs} < ${dueMs}`);
      });
    });
  });
});

Deno.test("MockServer gives the same delays to the same request whatever was asked before", () => {
  const [ttft, itl] = [latencyDistribution("normal:50:20"), latencyDistribution("exponential:5")];
  const short = plannedMs(1, 7, 3, ttft, itl);
  assert.deepEqual(plannedMs(1, 7, 30, ttft, itl).slice(0, 3), short);
  assert.notDeepEqual(plannedMs(1, 8, 3, ttft, itl), short);
  assert.notDeepEqual(plannedMs(2, 7, 3, ttft, itl), short);
});

Deno.test("MockServer's truth comes before what its client sees, chunk by chunk", () =>
  withMock({ ttft: latencyDistribution("10"), itl: latencyDistribution("2") }, async (mock) => {
    for (let round = 0; round < 5; round++) {
      using connection = await RawConnection.open(mock.server.port);
      const startMs = performance.now();
      await connection.send("POST", CHAT, body(true, 12));
      const { reads, body: text } = await connection.reply();
      const served = (await mock.stats()).served.at(-1) as ServedRequest;
      const receivedMs = served.received_epoch_ms - performance.timeOrigin;
      assert.ok(receivedMs >= startMs - EPOCH_ROUNDING_MS, "received before it was sent");
      // Where each content event ends in the body; the role's event comes with the first one.
      const ends = [...text.matchAll(/"content":" [^\n]*\n\n/g)].map((match) =>
        match.index + match[0].length
      );
      assert.equal(ends.length, 12);
      ends.forEach((end, chunk) => {
        const seenMs = reads.find(({ length }) => length >= end)?.atMs as number;
        const sentMs = receivedMs + (served.sent_after_ms[chunk] as number);
        assert.ok(seenMs >= sentMs - EPOCH_ROUNDING_MS, `${seenMs} is before ${sentMs}`);
      });
    }
  }));

Deno.test("MockServer takes as long for a whole reply as for a stream of the same tokens", async () => {
  await withMock({
    ttft: latencyDistribution("20"),
    itl: latencyDistribution("50"),
    tokensPerChunk: 4,
  }, async ({ server, stats }) => {
    await exchangeOnce(server.port, "POST", CHAT, body(true, 20));
    await exchangeOnce(server.port, "POST", CHAT, body(false, 20));
    const [streamed, whole] = (await stats()).served as [ServedRequest, ServedRequest];
    // Five chunks: 20 ms, then four times 50 ms.
    assert.equal(streamed.sent_after_ms.length, 5);
    assert.equal(whole.sent_after_ms.length, 1);
    assert.ok((streamed.sent_after_ms[4] as number) >= 220);
    assert.ok((whole.sent_after_ms[0] as number) >= 220);
  });
  // There are no gaps between the tokens of one chunk: these would never end.
  await withMock({
    ttft: latencyDistribution("1"),
    itl: latencyDistribution("3600000"),
    tokensPerChunk: 4,
  }, async ({ server }) => {
    const reply = await exchangeOnce(server.port, "POST", CHAT, body(false, 4));
    assert.equal(reply.end, "complete");
  });
});

/** When a request was received, and when its first and its last chunk were sent, on one clock. */
function timesOf({ received_epoch_ms: receivedMs, sent_after_ms: sent }: ServedRequest) {
  return {
    receivedMs,
    firstMs: receivedMs + (sent[0] as number),
    endMs: receivedMs + (sent.at(-1) as number),
  };
}

for (const stream of [true, false]) {
  Deno.test(`MockServer's slots hold ${stream ? "streamed" : "whole"} requests back`, () =>
    withMock({
      ttft: latencyDistribution("20"),
      itl: latencyDistribution("5"),
      slots: 2,
    }, async ({ server, stats }) => {
      const serviceMs = 20 + 4 * 5;
      await Promise.all(
        Array.from({ length: 6 }, () => exchangeOnce(server.port, "POST", CHAT, body(stream, 5))),
      );
      const { served } = await stats();
      assert.equal(served.length, 6);
      const times = served.map(timesOf).sort((a, b) => a.receivedMs - b.receivedMs);
      for (let i = 2; i < times.length; i++) {
        const { firstMs, endMs } = times[i] as ReturnType<typeof timesOf>;
        // Of those that came before, one may be in service beside it.
        const endsMs = times.slice(0, i).map((one) => one.endMs).sort((a, b) => a - b);
        const freeMs = (endsMs.at(-2) as number) - EPOCH_ROUNDING_MS;
        // Whoever waited sees it in the time to the first token.
        assert.ok(firstMs >= freeMs + (stream ? 20 : serviceMs), `${firstMs - freeMs} ms`);
        assert.ok(endMs >= freeMs + serviceMs, `${endMs - freeMs} ms`);
      }
    }));
}

Deno.test("MockServer without delays writes at once and says so", () =>
  withMock({}, async ({ server }) => {
    await exchangeOnce(server.port, "POST", CHAT, body(true, 50));
    const { body: text } = await exchangeOnce(server.port, "GET", "/mock/stats");
    const stats = JSON.parse(text);
    assert.equal(stats.served, undefined, "requests are listed only when asked for");
    assert.equal(stats.content_events, 50);
    assert.deepEqual([stats.gap_ms.count, stats.gap_ms.max], [49, 0]);
    assert.deepEqual([stats.write_lateness_ms.count, stats.write_lateness_ms.max], [50, 0]);
    assert.equal(stats.ttft_ms.count, 1);
  }));
