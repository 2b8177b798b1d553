import assert from "node:assert/strict";
import { SocketTransport } from "../../../src/client/http/socket_transport.ts";
import {
  type FetchedPage,
  fetchPage,
  ScrapeError,
} from "../../../src/telemetry/scrape/fetch_page.ts";
import { PageBuffer } from "../../../src/telemetry/scrape/page_buffer.ts";
import { FakeTime } from "../../support/fake_time.ts";
import { metricsEndpoint } from "../../support/metrics_endpoints.ts";
import { type ScriptedRequest, scriptedServer } from "../../support/scripted_server.ts";
import { until } from "../../support/until.ts";

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";

/** Settings of {@linkcode fetched}. */
interface Settings {
  readonly path?: string;
  readonly user?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** None passes without it. */
  readonly time?: FakeTime;
}

/** Fetches a page from a server that answers so. */
async function fetched(
  answer: (request: ScriptedRequest) => Promise<void> | void,
  settings: Settings = {},
): Promise<FetchedPage & { readonly text: string }> {
  using server = scriptedServer(answer);
  const time = settings.time ?? new FakeTime();
  const nowNs = () => time.nowNs();
  const transport = new SocketTransport({
    reuse: "pooled",
    trust: { caCerts: [], systemCerts: [] },
    nowNs,
  });
  const { path = "/metrics", user = "", timeoutMs = 20_000, maxBytes = 1e6, signal } = settings;
  try {
    const endpoint = metricsEndpoint(`http://${user}127.0.0.1:${server.port}${path}`);
    const page = await fetchPage(transport, endpoint, {
      timeoutMs,
      buffer: new PageBuffer(maxBytes),
      userAgent: "inferometer/test",
      signal: signal ?? new AbortController().signal,
      timers: time,
      nowNs,
    });
    return { ...page, text: new TextDecoder().decode(page.body) };
  } finally {
    transport.close();
  }
}

async function failureOf(
  answer: (request: ScriptedRequest) => Promise<void> | void,
  settings: Settings = {},
): Promise<ScrapeError> {
  const error = await fetched(answer, settings).catch((error) => error);
  assert.ok(error instanceof ScrapeError, String(error?.text ?? error));
  return error;
}

function forever(): Promise<void> {
  return new Promise(() => {});
}

Deno.test("fetchPage gets a page, and when it was asked for and came", async () => {
  const page = await fetched(({ reply }) => reply(`${HEAD}Content-Length: 4\r\n\r\na 1\n`));
  assert.deepEqual([page.text, page.contentType], ["a 1\n", "text/plain"]);
  assert.ok(page.sentNs <= page.firstByteNs && page.firstByteNs <= page.endNs);
});

Deno.test("fetchPage asks once, by GET, for text without compression", async () => {
  const heads: string[] = [];
  await fetched(async ({ head, reply }) => {
    heads.push(head);
    await reply(`${HEAD}Content-Length: 0\r\n\r\n`);
  }, { path: "/stats?x=1" });
  assert.equal(heads.length, 1);
  const [line, ...headers] = (heads[0] as string).split("\r\n");
  assert.equal(line, "GET /stats?x=1 HTTP/1.1");
  assert.deepEqual(headers.map((header) => header.replace(/^(Host: ).*/, "$1")).sort(), [
    "Accept-Encoding: identity",
    // Naming OpenMetrics would rename the metrics of Python servers.
    "Accept: text/plain;version=0.0.4, */*;q=0.1",
    "Host: ",
    "User-Agent: inferometer/test",
  ]);
});

Deno.test("fetchPage sends the user and password of the URL", async () => {
  const heads: string[] = [];
  await fetched(async ({ head, reply }) => {
    heads.push(head);
    await reply(`${HEAD}Content-Length: 0\r\n\r\n`);
  }, { user: "me:p%40ss@" });
  assert.match(heads[0] as string, /\r\nAuthorization: Basic bWU6cEBzcw==(\r\n|$)/);
});

/** Time that knows how often somebody looked at the clock. */
class WatchedTime extends FakeTime {
  looks = 0;

  override nowNs(): number {
    this.looks++;
    return super.nowNs();
  }
}

Deno.test("fetchPage dates a page by the first byte of its body", async () => {
  const time = new WatchedTime();
  const page = await fetched(async ({ reply }) => {
    time.sleep(10);
    const { looks } = time;
    await reply(`${HEAD}Content-Length: 8\r\n\r\n`);
    await until("the head is read", () => time.looks > looks);
    time.sleep(30);
    await reply("a 1\n");
    await reply("b 2\n");
  }, { time });
  assert.equal(page.text, "a 1\nb 2\n");
  assert.deepEqual([page.sentNs, page.firstByteNs], [0, 40e6], "not by its head");
});

Deno.test("fetchPage puts chunks together, however small they are", async () => {
  const text = "# TYPE a gauge\n" +
    Array.from({ length: 200 }, (_, index) => `a${index} 1\n`).join("");
  const chunks = [...text].map((character) => `1\r\n${character}\r\n`).join("");
  const page = await fetched(({ reply }) =>
    reply(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)
  );
  assert.equal(page.text, text);
});

Deno.test("fetchPage decompresses what was not asked for", async () => {
  const stream = new Blob(["a 1\n"]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const page = await fetched(async ({ reply }) => {
    await reply(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n`);
    await reply(bytes);
  });
  assert.equal(page.text, "a 1\n");
});

Deno.test("fetchPage names the status of a reply that is no page", async () => {
  for (const status of ["401 Unauthorized", "404 Not Found", "500 Oops", "204 No Content"]) {
    const error = await failureOf(({ reply }) =>
      reply(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`)
    );
    assert.equal(error.message, `HTTP ${status.slice(0, 3)}`);
    assert.equal(error.details.status, Number(status.slice(0, 3)));
  }
});

Deno.test("fetchPage does not follow redirects, and says where to without secrets", async () => {
  const locations: readonly [string, string][] = [
    ["http://me:secret@evil.example/a?key=secret", "http://evil.example/a"],
    ["//me:secret@evil.example/a", "//evil.example/a"],
    ["/other?token=secret", "/other"],
    ["/a\x1b[2J\x07b", "/a [2J b"],
    [`/${"x".repeat(1000)}`, `/${"x".repeat(199)}`],
  ];
  for (const [location, shown] of locations) {
    const { message } = await failureOf(({ reply }) =>
      reply(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`)
    );
    assert.equal(message, `HTTP 302 to ${shown}, redirects are not followed`);
  }
});

Deno.test("fetchPage does not read the body of JSON", async () => {
  const page = await fetched(async ({ reply }) => {
    await reply("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n");
    await forever();
  });
  assert.deepEqual([page.text, page.contentType], ["", "application/json"]);
});

Deno.test("fetchPage gives up when there is no answer, or no end of it, in time", async () => {
  for (const head of ["", `${HEAD}Content-Length: 100\r\n\r\na 1\n`]) {
    const time = new FakeTime();
    const error = await failureOf(async ({ reply }: ScriptedRequest) => {
      await reply(head);
      await time.pass(50);
    }, { timeoutMs: 50, time });
    assert.deepEqual([error.message, error.details], ["no answer within 0.05 s", {
      isTimeout: true,
    }]);
  }
});

Deno.test("fetchPage does not count time in which its own thread was busy", async () => {
  const time = new FakeTime();
  const page = await fetched(async ({ reply }) => {
    time.sleep(400);
    await time.pass(199);
    await reply(`${HEAD}Content-Length: 4\r\n\r\na 1\n`);
  }, { timeoutMs: 200, time });
  assert.equal(page.text, "a 1\n");
});

Deno.test("fetchPage waits for its own thread no longer than for an answer", async () => {
  const time = new FakeTime();
  const { message } = await failureOf(async () => {
    time.sleep(10_000);
    await time.pass(200);
  }, { timeoutMs: 200, time });
  assert.equal(message, "no answer within 0.2 s");
});

Deno.test("fetchPage gives up on a page that is too long, told or not", async () => {
  const endless = async ({ reply }: ScriptedRequest) => {
    await reply(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    for (;;) await reply(`400\r\n${"x".repeat(1024)}\r\n`);
  };
  const long = async ({ reply }: ScriptedRequest) => {
    await reply(`${HEAD}Content-Length: 5000\r\n\r\n${"x".repeat(5000)}`);
  };
  for (const answer of [endless, long]) {
    const { message } = await failureOf(answer, { maxBytes: 4096 });
    assert.equal(message, "page is longer than 4096 bytes");
  }
});

Deno.test("fetchPage says how a connection failed", async () => {
  const broken: readonly [(request: ScriptedRequest) => Promise<void> | void, RegExp][] = [
    [({ close }) => close(), /^connection_closed: Server closed the connection without a reply$/],
    [async ({ reply, close }) => {
      await reply(`${HEAD}Content-Length: 100\r\n\r\na 1\n`);
      close();
    }, /^truncated: .* in the middle/],
    [({ reply }) => reply("\x16\x03\x01 not HTTP\r\n\r\n"), /^protocol: /],
    [({ reply }) => reply(`HTTP/1.1 200 OK\r\nX-A: ${"x".repeat(100_000)}\r\n\r\n`), /^protocol: /],
  ];
  for (const [answer, wanted] of broken) {
    assert.match((await failureOf(answer)).message, wanted);
  }
});

Deno.test("fetchPage ends at once when it is interrupted, before or during the wait", async () => {
  const before = AbortSignal.abort();
  assert.equal((await failureOf(() => forever(), { signal: before })).message, "interrupted");
  const during = new AbortController();
  const { message } = await failureOf(() => {
    during.abort();
    return forever();
  }, { signal: during.signal });
  assert.equal(message, "interrupted");
});
