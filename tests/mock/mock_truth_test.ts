/** What the mock server tells at `/mock/truth`, and that it serves TLS. */

import assert from "node:assert/strict";
import { ENDPOINT_TYPES } from "../../src/client/endpoint/endpoint_types.ts";
import type { EndpointType } from "../../src/client/endpoint/protocol/endpoint_type.ts";
import { latencyDistribution } from "../../src/mock/latency_distribution.ts";
import { defaultMockOptions } from "../../src/mock/mock_options.ts";
import { MockServer } from "../../src/mock/mock_server.ts";
import { MockTruth } from "../../src/mock/mock_truth.ts";
import { withMock } from "../support/local_mock.ts";
import { exchangeOnce, RawConnection } from "../support/raw_connection.ts";

const COMPLETIONS = "/v1/completions";
const CERTIFICATES = new URL("../../fixtures/tls/", import.meta.url);

function pem(name: string): string {
  return Deno.readTextFileSync(new URL(name, CERTIFICATES));
}

Deno.test("MockTruth tells whole nanoseconds, a line for each request", () => {
  const truth = new MockTruth(true);
  const request = { promptTokens: 1, outputTokens: 2, endedAfterMs: 20, outcome: "stop" };
  truth.ended({
    ...request,
    requestId: "a",
    receivedMs: 1_795_317_198_677.5,
    startedAfterMs: 0.25,
    sentAfterMs: [10.000001, 12.5],
  }, true);
  truth.ended({
    ...request,
    requestId: "b",
    receivedMs: 1_795_317_198_678,
    startedAfterMs: 0,
    sentAfterMs: [],
  }, false);
  assert.equal(
    truth.lines(),
    "a 1795317198677500000 1795317198677750000 1795317198687500001 1795317198690000000\n" +
      "b 1795317198678000000 1795317198678000000\n",
  );
  truth.reset();
  assert.equal(truth.lines(), "");
});

Deno.test("MockTruth has arrival, admission and end of each request as JSON", () => {
  const truth = new MockTruth(true);
  truth.ended({
    ...{ requestId: "a", receivedMs: 1000, startedAfterMs: 0.25, sentAfterMs: [10] },
    ...{ endedAfterMs: 20, promptTokens: 1, outputTokens: 2, outcome: "stop" },
  }, true);
  assert.deepEqual(JSON.parse(truth.requestLines()), {
    ...{ request_id: "a", session: null, received_ns: 1_000_000_000 },
    ...{ started_ns: 1_000_250_000, ended_ns: 1_020_000_000 },
    ...{ prompt_tokens: 1, cached_tokens: null, output_tokens: 2, outcome: "stop" },
  });
});

Deno.test("MockTruth keeps every request only where it is to", () => {
  const request = {
    requestId: "a",
    receivedMs: 1,
    startedAfterMs: 0,
    sentAfterMs: [1],
    endedAfterMs: 1,
    promptTokens: 1,
    outputTokens: 1,
    outcome: "stop",
  };
  for (const [keepsAll, kept] of [[false, 20_000], [true, 20_001]] as const) {
    const truth = new MockTruth(keepsAll);
    for (let i = 0; i < 20_001; i++) truth.ended(request, true);
    assert.equal(truth.lines().split("\n").length - 1, kept);
  }
});

Deno.test("MockServer tells the times of each request and each chunk", () =>
  withMock({ truth: true, ttft: latencyDistribution("5"), slots: 1 }, async ({ server, stats }) => {
    const before = performance.timeOrigin + performance.now();
    for (const [id, tokens] of [["one", 3], ["two", 1]] as const) {
      using connection = await RawConnection.open(server.port);
      const body = { "prompt": "a", "stream": true, "max_tokens": tokens };
      await connection.send("POST", COMPLETIONS, body, { "X-Request-ID": id });
      await connection.reply();
    }
    const after = performance.timeOrigin + performance.now();
    const { body } = await exchangeOnce(server.port, "GET", "/mock/truth");
    const lines = body.trimEnd().split("\n").map((line) => line.split(" "));
    assert.deepEqual(lines.map(([id, ...times]) => [id, times.length]), [["one", 5], ["two", 3]]);
    const { served } = await stats();
    lines.forEach(([, ...times], index) => {
      const [arrivalNs = 0n, startNs = 0n, ...writesNs] = times.map(BigInt);
      assert.ok(Number(arrivalNs) / 1e6 >= before - 0.001);
      assert.ok(startNs >= arrivalNs);
      assert.ok((writesNs[0] as bigint) >= startNs + 5_000_000n);
      assert.ok(Number(writesNs.at(-1)) / 1e6 <= after + 0.001);
      const told = served[index]?.sent_after_ms ?? [];
      assert.deepEqual(
        writesNs.map((write) => Number(write - arrivalNs)),
        told.map((ms) => Math.round(ms * 1e6)),
      );
    });
  }));

Deno.test("MockServer without truth says so", () =>
  withMock({}, async ({ server }) => {
    const { status, body } = await exchangeOnce(server.port, "GET", "/mock/truth");
    assert.equal(status, 404);
    assert.match(JSON.parse(body).error.message, /--truth/);
  }));

Deno.test("MockServer serves TLS with its certificate, streams and truth alike", () =>
  withMock({
    truth: true,
    certificate: { cert: pem("server.pem"), key: pem("server.key") },
  }, async ({ server }) => {
    assert.match(server.url, /^https:/);
    using client = Deno.createHttpClient({ caCerts: [pem("ca.pem")] });
    const reply = await fetch(`${server.url}${COMPLETIONS}`, {
      client,
      method: "POST",
      body: JSON.stringify({ "prompt": "a", "stream": true, "max_tokens": 4 }),
      headers: { "X-Request-ID": "of-tls" },
    });
    assert.match(await reply.text(), /\[DONE\]/);
    const truth = await (await fetch(`${server.url}/mock/truth`, { client })).text();
    assert.match(truth, /^of-tls( \d{19}){6}\n$/);
  }));

Deno.test("MockServer tells how late its writes were", () =>
  withMock({ itl: latencyDistribution("1") }, async ({ server }) => {
    assert.equal(server.lateness.count, 0);
    const body = { "prompt": "a", "stream": true, "max_tokens": 20 };
    await exchangeOnce(server.port, "POST", COMPLETIONS, body);
    const { count, min, max } = server.lateness;
    assert.equal(count, 20);
    assert.ok(min >= 0 && max >= min && max > 0, `${min} to ${max}`);
  }));

Deno.test("MockServer says that a whole reply was written when it was made", async () => {
  const type = ENDPOINT_TYPES.get("completions") as EndpointType;
  let madeMs = NaN;
  const whole: EndpointType["writer"]["whole"] = (reply) => {
    const body = type.writer.whole(reply);
    // As long as a large one takes.
    for (const endMs = performance.now() + 5; performance.now() < endMs;);
    madeMs = performance.timeOrigin + performance.now();
    return body;
  };
  const slow = { ...type, writer: { ...type.writer, whole } };
  const server = await MockServer.start({ ...defaultMockOptions(), truth: true }, [slow]);
  const body = { "prompt": "a", "max_tokens": 4 };
  await exchangeOnce(server.port, "POST", COMPLETIONS, body, { "X-Request-ID": "a" });
  const { body: truth } = await exchangeOnce(server.port, "GET", "/mock/truth");
  server.close();
  const writtenMs = Number(truth.trimEnd().split(" ").at(-1)) / 1e6;
  assert.ok(writtenMs >= madeMs - 0.001, `${writtenMs} is before ${madeMs}`);
});

Deno.test("MockServer reports session, times and tokens of each request at /mock/truth", () =>
  withMock({ truth: true, prefixCache: true, blockSize: 4, tokens: 3 }, async ({ server }) => {
    const body = { "prompt": "one two three four five six seven eight nine ten" };
    for (const id of ["a", "b"]) {
      await exchangeOnce(server.port, "POST", COMPLETIONS, body, {
        "x-request-id": id,
        "x-correlation-id": "s",
      });
    }
    const { body: page } = await exchangeOnce(server.port, "GET", "/mock/truth?requests=1");
    const [first, second, ...others] = page.trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(others.length, 0);
    assert.deepEqual([first.request_id, second.request_id], ["a", "b"]);
    for (const request of [first, second]) {
      assert.equal(request.session, "s");
      assert.equal(request.outcome, "stop");
      assert.equal(request.prompt_tokens, 10);
      assert.equal(request.output_tokens, 3);
      assert.ok(request.received_ns <= request.started_ns);
      assert.ok(request.started_ns <= request.ended_ns);
    }
    assert.deepEqual([first.cached_tokens, second.cached_tokens], [0, 8]);
    assert.ok(first.ended_ns <= second.received_ns);
  }));
