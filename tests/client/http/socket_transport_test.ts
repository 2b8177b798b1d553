import assert from "node:assert/strict";
import { openConnection } from "../../../src/client/http/open_connection.ts";
import { SocketTransport } from "../../../src/client/http/socket_transport.ts";
import type { Exchange, TraceMarks } from "../../../src/client/http/transport.ts";
import { exchangeWith, localOrigin, send, transportOptions } from "../../support/exchange.ts";
import { chunk } from "../../support/fault_server.ts";
import { HANG_MS } from "../../support/hang_guard.ts";
import { type ScriptedRequest, scriptedServer } from "../../support/scripted_server.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** A transport that is closed at the end of a test. */
function socketTransport(
  reuse: "pooled" | "never" | "sticky-user-sessions" = "pooled",
  nowNs = transportOptions().nowNs,
): SocketTransport & Disposable {
  const transport = new SocketTransport(transportOptions({ reuse, nowNs }));
  return Object.assign(transport, { [Symbol.dispose]: () => transport.close() });
}

function partsOf(trace: TraceMarks): number {
  return trace.blockedNs + trace.dnsNs + trace.connectingNs + (trace.sendEndNs - trace.sendStartNs);
}

Deno.test("SocketTransport sends a request with the headers and the body it was given", async () => {
  let seen = "";
  using server = scriptedServer((request) => {
    seen = `${request.head}\r\n\r\n${request.body}`;
    return request.reply(OK);
  });
  using transport = socketTransport();
  const origin = localOrigin(server.port);
  const { status, body, failure, sent } = await send(transport, origin, "/v1/x?a=b", '{"a":1}');
  assert.deepEqual([status, body, failure, sent], [200, "ok", undefined, true]);
  assert.equal(
    seen,
    `POST /v1/x?a=b HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n` +
      `Content-Type: application/json\r\nAccept-Encoding: identity\r\nContent-Length: 7\r\n\r\n{"a":1}`,
  );
});

Deno.test("SocketTransport marks each part of a request once", async () => {
  using server = scriptedServer((request) => request.reply(OK));
  using transport = socketTransport();
  const origin = localOrigin(server.port);
  const { trace: first } = await send(transport, origin);
  assert.equal(first.reused, 0);
  assert.ok(first.connectingNs > 0);
  assert.equal(first.dnsNs, 0);
  assert.equal(first.tlsNs, 0);
  assert.ok(first.sendStartNs >= first.startNs + first.blockedNs + first.connectingNs);
  assert.ok(first.endNs - first.startNs >= partsOf(first));
  assert.equal(first.bytesReceived, OK.length);
  assert.deepEqual([first.writes, first.reads], [1, 1]);
  const { trace: second } = await send(transport, origin);
  assert.equal(second.reused, 1);
  assert.deepEqual([second.connectingNs, second.blockedNs], [0, 0]);
  assert.equal(second.bytesSent, first.bytesSent);
  assert.deepEqual([second.writes, second.reads], [1, 1]);
  assert.equal(server.connections, 1);
});

Deno.test("SocketTransport opens a connection for each request when they are not to be reused", async () => {
  using server = scriptedServer((request) => request.reply(OK));
  for (const reuse of ["never", "sticky-user-sessions"] as const) {
    const before = server.connections;
    using transport = socketTransport(reuse);
    for (let i = 0; i < 3; i++) {
      const { trace } = await send(transport, localOrigin(server.port));
      assert.equal(trace.reused, 0);
    }
    assert.equal(server.connections - before, 3);
  }
});

Deno.test("SocketTransport sends again on a new connection when a pooled one was closed", async () => {
  let requests = 0;
  using server = scriptedServer(async (request) => {
    requests++;
    // The second request on the first connection meets a server that has given it up.
    if (request.connection === 0 && requests === 2) request.close();
    else await request.reply(OK);
  });
  using transport = socketTransport();
  const origin = localOrigin(server.port);
  await send(transport, origin);
  const { status, trace, failure } = await send(transport, origin);
  assert.deepEqual([status, failure], [200, undefined]);
  assert.deepEqual([trace.retried, trace.reused, trace.writes], [1, 0, 1]);
  assert.equal(requests, 3);
});

/**
 * A server that closes each connection after its reply without saying so: at the latest when the
 * next request comes, on that connection or another.
 */
function closingServer() {
  const used = new Set<number>();
  const answered: (() => void)[] = [];
  const closedNs: number[] = [];
  const server = scriptedServer(async (request) => {
    for (const close of answered.splice(0)) close();
    if (used.has(request.connection)) {
      closedNs.push(performance.now() * 1e6);
      return request.close();
    }
    used.add(request.connection);
    await request.reply(OK);
    answered.push(() => request.close());
  });
  return { server, closedNs, used };
}

Deno.test("SocketTransport learns that a server closes connections after their replies", async () => {
  const { server, closedNs } = closingServer();
  using _server = server;
  using transport = socketTransport();
  const origin = localOrigin(server.port);
  const traces: TraceMarks[] = [];
  for (let i = 0; i < 20; i++) {
    const { failure, trace } = await send(transport, origin);
    assert.equal(failure, undefined);
    traces.push(trace);
  }
  const retried = traces.filter((trace) => trace.retried === 1);
  assert.ok(closedNs.length <= 2, `${closedNs.length} requests met a closed connection`);
  assert.equal(retried.length, closedNs.length);
  assert.ok(traces.every(({ reused }) => reused === 0));
  // The first, those sent again, and for each of the others one that was opened ahead.
  assert.ok(server.connections <= 20 + 1, `${server.connections} connections`);
  const ahead = traces.slice(4).filter((trace) =>
    trace.sendStartNs - trace.startNs < trace.connectingNs
  );
  assert.ok(ahead.length > 0, "connections are opened ahead");
});

Deno.test("SocketTransport has no idle connection stand before one that carries a request", async () => {
  const { server, used } = closingServer();
  using _server = server;
  using transport = socketTransport();
  const origin = localOrigin(server.port);
  for (let i = 0; i < 4; i++) await send(transport, origin);
  for (let i = 0; i < 5; i++) {
    await Promise.all(Array.from({ length: 4 }, () => send(transport, origin)));
  }
  // The server accepts them in the order in which they were opened.
  assert.deepEqual([...used].sort((a, b) => a - b), Array.from({ length: used.size }, (_, i) => i));
  assert.ok(used.size >= 24);
});

Deno.test("SocketTransport starts a resent request with its first attempt", async () => {
  const { server, closedNs } = closingServer();
  using _server = server;
  using transport = socketTransport();
  const origin = localOrigin(server.port);
  await send(transport, origin);
  const body = "x".repeat(300);
  const { trace } = await send(transport, origin, "/", body);
  assert.equal(trace.retried, 1);
  assert.ok(trace.startNs <= (closedNs[0] as number), "the failed attempt is a part of it");
  assert.ok(trace.sendStartNs >= (closedNs[0] as number), "the marks are those of the second one");
  assert.ok(trace.blockedNs < trace.sendStartNs - trace.startNs - trace.connectingNs);
  assert.ok(trace.sendStartNs >= trace.startNs && trace.sendEndNs >= trace.sendStartNs);
  assert.ok(trace.connectingNs > 0, "what connecting took is told");
  const { trace: plain } = await send(transport, origin, "/", body);
  assert.equal(trace.bytesSent, plain.bytesSent, "of the connection that carried it");
});

Deno.test("SocketTransport does not send again once a byte of the reply has come", async () => {
  let requests = 0;
  using server = scriptedServer(async (request) => {
    requests++;
    await request.reply(requests === 1 ? OK : "HTTP/1.1 200");
    if (requests > 1) request.close();
  });
  using transport = socketTransport();
  const origin = localOrigin(server.port);
  await send(transport, origin);
  const { failure, trace } = await send(transport, origin);
  assert.equal(failure?.kind, "truncated");
  assert.deepEqual([trace.retried, requests], [0, 2]);
});

Deno.test("SocketTransport does not send again on a connection that was new", async () => {
  let requests = 0;
  using server = scriptedServer((request) => {
    requests++;
    request.close();
  });
  using transport = socketTransport();
  const { failure } = await send(transport, localOrigin(server.port));
  assert.equal(failure?.kind, "connection_closed");
  assert.match(failure?.message ?? "", /without a reply/);
  assert.equal(requests, 1);
});

Deno.test("SocketTransport notices that an idle connection was closed before it is chosen", async () => {
  const closed = Promise.withResolvers<void>();
  using server = scriptedServer(async (request) => {
    await request.reply(OK);
    if (request.connection === 0) {
      request.close();
      closed.resolve();
    }
  });
  using transport = socketTransport();
  const origin = localOrigin(server.port);
  await send(transport, origin);
  await closed.promise;
  // One exchange with another server lets the close arrive.
  using other = scriptedServer((request) => request.reply(OK));
  await send(transport, localOrigin(other.port));
  const { trace, failure } = await send(transport, origin);
  assert.deepEqual([failure, trace.reused], [undefined, 0]);
});

Deno.test("SocketTransport does not reuse a connection that said more than its reply", async () => {
  using server = scriptedServer((request) => request.reply(`${OK}HTTP/1.1 200 OK\r\n\r\n`));
  using transport = socketTransport();
  const origin = localOrigin(server.port);
  for (let i = 0; i < 2; i++) {
    const { body, trace } = await send(transport, origin);
    assert.deepEqual([body, trace.reused], ["ok", 0]);
  }
});

Deno.test("SocketTransport tells refused connections and broken replies apart", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  using transport = socketTransport();
  const refused = await send(transport, localOrigin(port));
  assert.equal(refused.failure?.kind, "connect");
  assert.match(refused.failure?.message ?? "", new RegExp(`127\\.0\\.0\\.1:${port}.*refused`));
  using server = scriptedServer(async (request) => {
    await request.reply("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    request.close();
  });
  const cut = await send(transport, localOrigin(server.port));
  assert.equal(cut.failure?.kind, "truncated");
  assert.equal(cut.body, "abc");
});

Deno.test("SocketTransport tries the next address of a name when one does not answer", async () => {
  using server = scriptedServer((request) => request.reply(OK));
  using transport = socketTransport();
  const origin = {
    ...localOrigin(server.port, "localhost"),
    addresses: ["127.0.0.2", "127.0.0.1"],
  };
  const { status } = await send(transport, origin);
  assert.equal(status, 200);
});

Deno.test("SocketTransport speaks to IPv6 addresses", async () => {
  let host = "";
  using server = scriptedServer((request) => {
    host = /host: (.*)/i.exec(request.head)?.[1] ?? "";
    return request.reply(OK);
  }, "::1");
  using transport = socketTransport();
  const { status } = await send(transport, localOrigin(server.port, "::1"));
  assert.deepEqual([status, host], [200, `[::1]:${server.port}`]);
});

Deno.test("SocketTransport reports nothing more of a request that was given up", async () => {
  const received = Promise.withResolvers<void>();
  using server = scriptedServer(() => received.resolve());
  using transport = socketTransport();
  const { exchange, result } = exchangeWith(localOrigin(server.port));
  transport.send(exchange);
  await received.promise;
  transport.abort(exchange);
  const other = send(transport, localOrigin(1));
  assert.equal(await Promise.race([result, other]), await other);
});

/** More connections than are opened at once. */
const MANY = 200;

Deno.test("SocketTransport gives the place of a handshake that was given up to the next request", async () => {
  // A server that takes connections and says nothing.
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using server = scriptedServer((request) => request.reply(OK));
  using transport = socketTransport();
  const origin = { ...localOrigin(silent.addr.port), protocol: "https:" as const };
  const stuck = Array.from({ length: MANY }, () => exchangeWith(origin).exchange);
  for (const exchange of stuck) transport.send(exchange);
  const waiting = send(transport, localOrigin(server.port));
  for (const exchange of stuck) transport.abort(exchange);
  assert.equal((await waiting).status, 200);
});

Deno.test("SocketTransport gives an idle connection to a request that waits for a place to connect", async () => {
  const requests: ScriptedRequest[] = [];
  const came = Promise.withResolvers<void>();
  using server = scriptedServer((request) => {
    if (requests.push(request) === 1) return came.resolve();
    return request.reply(OK);
  });
  const nowhere = localOrigin(1);
  const transport = new SocketTransport(
    transportOptions(),
    (origin, ...rest) =>
      origin === nowhere ? new Promise(() => {}) : openConnection(origin, ...rest),
  );
  const origin = localOrigin(server.port);
  const first = send(transport, origin);
  await came.promise;
  for (let i = 0; i < MANY; i++) transport.send(exchangeWith(nowhere).exchange);
  const waiting = send(transport, origin);
  await requests[0]?.reply(OK);
  await first;
  const { status, trace } = await waiting;
  assert.deepEqual([status, trace.reused, trace.connectingNs], [200, 1, 0]);
  assert.ok(trace.blockedNs > 0, "how long it waited is told");
  assert.ok(trace.sendStartNs >= trace.startNs + trace.blockedNs);
  assert.equal(server.connections, 1);
  transport.close();
});

Deno.test("SocketTransport opens connections ahead, and their cost is told by the first request", async () => {
  using server = scriptedServer((request) => request.reply(OK));
  // Time passes when somebody looks at the clock: three connections begin before the first is open.
  let reading = 0;
  using transport = socketTransport("pooled", () => ++reading);
  const origin = localOrigin(server.port);
  await transport.prepare(origin, 3, HANG_MS);
  const results = await Promise.all([1, 2, 3].map(() => send(transport, origin)));
  for (const { trace } of results) {
    assert.equal(trace.reused, 0);
    assert.ok(trace.connectingNs > 0);
    assert.ok(trace.sendStartNs - trace.startNs < trace.connectingNs);
  }
  assert.equal(server.connections, 3);
  await transport.prepare(origin, 3, HANG_MS);
  assert.equal(server.connections, 3, "idle connections count");
});

Deno.test("SocketTransport leaves connections that cannot be opened ahead to the requests", async () => {
  using transport = socketTransport();
  await transport.prepare(localOrigin(1), 4, HANG_MS);
  assert.equal((await send(transport, localOrigin(1))).failure?.kind, "connect");
});

for (const encoding of ["gzip", "deflate", "br"]) {
  Deno.test(`SocketTransport decompresses a reply in ${encoding}`, async () => {
    const zlib = await import("node:zlib");
    const pack = { gzip: zlib.gzipSync, deflate: zlib.deflateSync, br: zlib.brotliCompressSync };
    const text = "data: hello\n\n".repeat(1000);
    const packed = new Uint8Array(pack[encoding as keyof typeof pack](text));
    using server = scriptedServer(async (request) => {
      await request.reply(
        `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${packed.length}\r\n\r\n`,
      );
      await request.reply(packed);
    });
    using transport = socketTransport();
    const { body, failure } = await send(transport, localOrigin(server.port));
    assert.deepEqual([failure, body], [undefined, text]);
  });
}

Deno.test("SocketTransport fails a reply whose compression it does not know, or that is broken", async () => {
  for (const encoding of ["zstd", "gzip"]) {
    using server = scriptedServer((request) =>
      request.reply(
        `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: 5\r\n\r\nhello`,
      )
    );
    using transport = socketTransport();
    const { failure } = await send(transport, localOrigin(server.port));
    assert.equal(failure?.kind, "protocol");
    assert.ok(failure?.message.includes(encoding));
  }
});

/** Sends pieces one by one: each when the client has read the one before. */
async function sendApart(
  { reply }: ScriptedRequest,
  { trace }: Exchange,
  pieces: Iterable<string>,
): Promise<void> {
  let sentBytes = 0;
  for (const piece of pieces) {
    await reply(piece);
    sentBytes += piece.length;
    // Another turn of the event loop, which client and server share.
    while (trace.bytesReceived < sentBytes) await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

Deno.test("SocketTransport stamps waiting reads when they returned, and hands all of them on", async () => {
  const pieces = Array.from({ length: 200 }, (_, i) => `data: ${i}\n\n`);
  using server = scriptedServer((request) =>
    sendApart(request, exchange, [CHUNKED, ...pieces.map(chunk), "0\r\n\r\n"])
  );
  let reading = 0;
  using transport = socketTransport("pooled", () => ++reading);
  const { exchange, result } = exchangeWith(localOrigin(server.port));
  const stamps: number[] = [];
  const inner = exchange.sink;
  exchange.sink = {
    ...inner,
    onBody(bytes, start, end, stampNs) {
      stamps.push(stampNs);
      inner.onBody(bytes, start, end, stampNs);
    },
  };
  transport.send(exchange);
  assert.equal((await result).body, pieces.join(""));
  assert.deepEqual(stamps, stamps.toSorted((a, b) => a - b));
  // Parsed in batches, but each read has a time of its own.
  assert.equal(new Set(stamps).size, pieces.length);
});

Deno.test("SocketTransport looks at what has been read of a reply that does not go on", async () => {
  const over = Promise.withResolvers<void>();
  using server = scriptedServer(async (request) => {
    await sendApart(request, exchange, [CHUNKED, chunk("data: 1\n\n"), chunk("data: 2\n\n")]);
    over.resolve();
  });
  using transport = socketTransport();
  const { exchange } = exchangeWith(localOrigin(server.port));
  const seen: string[] = [];
  exchange.sink = {
    ...exchange.sink,
    onBody: (bytes, start, end) => {
      seen.push(new TextDecoder().decode(bytes.subarray(start, end)));
    },
  };
  transport.send(exchange);
  await over.promise;
  assert.deepEqual(seen, []);
  transport.lookAtWaiting(0);
  assert.deepEqual(seen, [], "it has not waited for long");
  transport.lookAtWaiting(Infinity);
  assert.deepEqual(seen, ["data: 1\n\n", "data: 2\n\n"]);
  transport.abort(exchange);
});

Deno.test("SocketTransport ends a chunked reply with trailers or chunk extensions without delay", async () => {
  const body = chunk("data: a\n\n").repeat(20);
  for (const end of ["0\r\nX-Sum: 1\r\n\r\n", "0;last\r\n\r\n", "0\r\n\r\n"]) {
    using server = scriptedServer((request) =>
      sendApart(request, exchange, [CHUNKED, ...Array.from({ length: 8 }, () => body), ...end])
    );
    using transport = socketTransport();
    const { exchange, result } = exchangeWith(localOrigin(server.port));
    transport.send(exchange);
    assert.equal((await result).body.length, "data: a\n\n".length * 160);
  }
});

Deno.test("SocketTransport gives a session a connection of its own, and closes it with the session", async () => {
  const ends: number[] = [];
  using server = scriptedServer((request) => {
    ends.push(request.connection);
    return request.reply(OK);
  });
  using transport = socketTransport("sticky-user-sessions");
  const origin = localOrigin(server.port);
  const ask = async (session: object | undefined) => {
    const { exchange, result } = exchangeWith(origin);
    transport.send(
      session === undefined ? exchange : {
        ...exchange,
        request: { ...exchange.request, session },
      },
    );
    const { failure } = await result;
    assert.equal(failure, undefined);
  };
  const [one, other] = [{}, {}];
  await ask(one);
  await ask(other);
  await ask(one);
  await ask(undefined);
  await ask(other);
  assert.deepEqual(ends, [0, 1, 0, 2, 1], "nobody else uses a session's connection");
  transport.endSession(one);
  transport.endSession(one);
  await ask(one);
  assert.equal(ends.at(-1), 3);
});

Deno.test("SocketTransport opens another connection for a session whose own the server has closed", async () => {
  using server = scriptedServer(async (request) => {
    await request.reply(OK);
    request.close();
  });
  using transport = socketTransport("sticky-user-sessions");
  const session = {};
  for (let turn = 0; turn < 3; turn++) {
    const { exchange, result } = exchangeWith(localOrigin(server.port));
    transport.send({ ...exchange, request: { ...exchange.request, session } });
    const { failure, body } = await result;
    assert.deepEqual([failure, body], [undefined, "ok"]);
  }
  assert.equal(server.connections, 3);
});
