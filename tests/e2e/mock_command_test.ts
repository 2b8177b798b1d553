/** `inferometer mock`: its options, their ranges, and its end. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { startMock } from "../support/mock_process.ts";
import { exchangeOnce } from "../support/raw_connection.ts";
import { runCli, spawnCli } from "../support/run_cli.ts";
import { streamEvents } from "../support/stream_events.ts";

function fixture(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
}

/** Options that cannot be used, and what is said of each. */
const WRONG_OPTIONS: readonly [readonly string[], RegExp][] = [
  [["--port", "65536"], /^error: --port: Must be at most 65535: got 65536\n$/],
  [["--port", "-1"], /^error: --port: Must be at least 0: got -1\n$/],
  [["--port", "http"], /^error: --port: Must be a number: got "http"\n$/],
  [["--tokens", "0"], /^error: --tokens: Must be at least 1: got 0\n$/],
  [["--tokens", "1.5"], /^error: --tokens: Must be a whole number: got 1\.5\n$/],
  [["--tokens", "1000001"], /^error: --tokens: Must be at most 1000000: got 1000001\n$/],
  [["--tokens-per-chunk", "0"], /^error: --tokens-per-chunk: Must be at least 1/],
  [
    ["--reasoning-tokens", "-2"],
    /^error: --reasoning-tokens: Must be at least 0/,
  ],
  [["--slots", "0"], /^error: --slots: Must be at least 1: got 0\n$/],
  [["--ttft", "soon"], /^error: --ttft: Must be milliseconds or one of .* got "soon"\n$/],
  [["--itl", "normal:5"], /^error: --itl: Must be milliseconds or one of .* got "normal:5"\n$/],
  [["--faults", "flood:0.5"], /^error: --faults: Expected one of 429, .* got "flood:0\.5"\n$/],
  [["--faults", "429:1.5"], /^error: --faults: Expected one of 429, .* got "429:1\.5"\n$/],
  [["--faults", "429:"], /^error: --faults: Expected one of 429, .* got "429:"\n$/],
  [["--faults", "429"], /^error: --faults: Expected one of 429, .* got "429"\n$/],
  [["--faults", "429:0.7", "reset:0.7"], /^error: --faults: The shares must add up to 1 at most/],
  [["--tls-cert", "x.pem"], /^error: --tls-cert: Needs --tls-key\n$/],
  [
    ["--tls-cert", "no-such.pem", "--tls-key", "no-such.key"],
    /^error: --tls-cert: Cannot read no-such\.pem: File does not exist\n$/,
  ],
  [
    ["--tls-cert", fixture("tls/server.pem"), "--tls-key", fixture("tls/client.key")],
    /^error: --tls-key: The key in .*fixtures\/tls\/client\.key is not that of the certificate\n$/,
  ],
  [["--no-such-option"], /unknown option '--no-such-option'/],
];

Deno.test("mock refuses options that it cannot use", async (t) => {
  for (const [args, message] of WRONG_OPTIONS) {
    await t.step(args.join(" "), async () => {
      const { code, stdout, stderr } = await runCli(["mock", ...args]);
      assert.match(stderr, message);
      assert.equal(code, 2);
      assert.equal(stdout, "");
    });
  }
});

Deno.test("mock serves as its options say", async () => {
  await using mock = await startMock([
    ...["--mock-model", "tiny", "--tokens", "9", "--tokens-per-chunk", "2"],
    ...["--reasoning-tokens", "3", "--ttft", "uniform:1:2", "--itl", "exponential:0.5"],
    ...["--slots", "4", "--seed", "3"],
  ]);
  assert.equal(new URL(mock.url).hostname, "127.0.0.1");
  const models = JSON.parse((await exchangeOnce(mock.port, "GET", "/v1/models")).body);
  assert.equal(models.data[0].id, "tiny");
  const { body } = await exchangeOnce(mock.port, "POST", "/v1/chat/completions", {
    "messages": [{ "role": "user", "content": "hello" }],
    "stream": true,
  });
  const events = streamEvents(body);
  // Reasoning of 2 and 1, an answer of 2, 2 and 2.
  assert.equal(events.contentChunks, 5);
  const [served] = (await mock.stats()).served;
  assert.equal(served?.output_tokens, 9);
  assert.ok((served?.sent_after_ms[0] as number) >= 1);
});

Deno.test("mock injects faults of several kinds", async () => {
  await using mock = await startMock(["--faults", "429:0.5", "500:0.5"]);
  const statuses = new Set<number>();
  for (let round = 0; round < 20; round++) {
    const reply = await exchangeOnce(mock.port, "POST", "/v1/completions", { "prompt": "a" });
    statuses.add(reply.status);
  }
  assert.deepEqual([...statuses].sort(), [429, 500]);
});

Deno.test("mock says that a port is taken", async () => {
  await using mock = await startMock();
  const { code, stderr } = await runCli(["mock", "--port", String(mock.port)]);
  assert.equal(code, 2);
  assert.equal(
    stderr,
    `error: --port: ${mock.port} is in use: take another, or 0 for a free one\n`,
  );
});

Deno.test("mock tells at its end how late it wrote", {
  ignore: Deno.build.os === "windows",
}, async () => {
  for (const tokens of [0, 5]) {
    const child = spawnCli(["mock", "--itl", "1"]);
    const output = child.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    const { value: greeting = "" } = await output.next();
    const port = Number(/:(\d+)\n$/.exec(greeting)?.[1]);
    const request = { "prompt": "a", "stream": true, "max_tokens": tokens };
    if (tokens > 0) await exchangeOnce(port, "POST", "/v1/completions", request);
    child.kill("SIGTERM");
    let text = "";
    for (let part = await output.next(); !part.done; part = await output.next()) text += part.value;
    const lateness = /^5 chunks written, late by p50 \d+\.\d\d p99 \d+\.\d\d max \d+\.\d\d ms\n$/;
    assert.match(text, tokens > 0 ? lateness : /^$/);
    assert.equal((await child.status).code, 0);
    await child.stderr.cancel();
  }
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`mock ends with ${signal}, whatever is going on`, {
    ignore: Deno.build.os === "windows",
  }, async () => {
    const child = spawnCli(["mock", "--ttft", "60000"]);
    const stderr = new Response(child.stderr).text();
    const lines = child.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    const { value: greeting = "" } = await lines.next();
    const port = Number(/:(\d+)\n$/.exec(greeting)?.[1]);
    const reply = exchangeOnce(port, "POST", "/v1/completions", { "prompt": "a" });
    const stats = async () => JSON.parse((await exchangeOnce(port, "GET", "/mock/stats")).body);
    while ((await stats()).requests === 0) await Promise.resolve();
    child.kill(signal);
    assert.equal((await child.status).code, 0, await stderr);
    assert.notEqual((await reply).end, "complete");
    assert.equal(await stderr, "");
    await lines.return?.();
  });
}
