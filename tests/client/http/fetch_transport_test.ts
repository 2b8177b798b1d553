import assert from "node:assert/strict";
import { FetchTransport } from "../../../src/client/http/fetch_transport.ts";
import { exchangeWith, localOrigin, send, transportOptions } from "../../support/exchange.ts";
import { scriptedServer } from "../../support/scripted_server.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

Deno.test("FetchTransport starts a resent request with its first attempt", async () => {
  let mayReply = () => true;
  let closedNs = Infinity;
  using server = scriptedServer(async (request) => {
    if (mayReply()) return await request.reply(OK);
    closedNs = nowNs += 1e6;
    request.close();
  });
  let nowNs = 0;
  const transport = new FetchTransport(transportOptions({ nowNs: () => nowNs }));
  try {
    const origin = localOrigin(server.port);
    const { trace: first } = await send(transport, origin);
    assert.equal(first.retried, 0);
    const { exchange, result } = exchangeWith(origin);
    // Some versions of the runtime send once more by themselves, unseen.
    mayReply = () => exchange.trace.retried === 1;
    transport.send(exchange);
    const { status, failure, trace } = await result;
    assert.deepEqual([status, failure, trace.retried], [200, undefined, 1]);
    assert.ok(trace.startNs < closedNs, "the failed attempt is a part of it");
    assert.ok(trace.headNs >= trace.startNs && trace.endNs >= trace.headNs);
  } finally {
    transport.close();
  }
});

Deno.test("FetchTransport does not send again what failed on a new connection", async () => {
  let requests = 0;
  using server = scriptedServer((request) => {
    requests++;
    request.close();
  });
  const transport = new FetchTransport(transportOptions());
  try {
    const { failure, trace } = await send(transport, localOrigin(server.port));
    assert.equal(failure?.kind, "connection_closed");
    assert.deepEqual([trace.retried, requests], [0, 1]);
  } finally {
    transport.close();
  }
});

Deno.test("FetchTransport does not resend a request whose connection closes late", async () => {
  let nowNs = 0;
  let requests = 0;
  using server = scriptedServer(async (request) => {
    requests++;
    if (requests === 1) return await request.reply(OK);
    nowNs += 30e6;
    request.close();
  });
  const transport = new FetchTransport(transportOptions({ nowNs: () => nowNs }));
  try {
    const origin = localOrigin(server.port);
    await send(transport, origin);
    const { failure, trace } = await send(transport, origin);
    assert.equal(failure?.kind, "connection_closed");
    assert.equal(trace.retried, 0);
    assert.ok(requests <= 3, "the second one, and another time by the runtime itself at most");
  } finally {
    transport.close();
  }
});
