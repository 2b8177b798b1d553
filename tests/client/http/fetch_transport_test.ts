import assert from "node:assert/strict";
import { FetchTransport } from "../../../src/client/http/fetch_transport.ts";
import { exchangeWith, localOrigin, send, transportOptions } from "../../support/exchange.ts";
import { scriptedServer } from "../../support/scripted_server.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

Deno.test("FetchTransport starts a request that is sent again when the first try has failed", async () => {
  let mayReply = () => true;
  let closedNs = Infinity;
  using server = scriptedServer(async (request) => {
    if (mayReply()) return await request.reply(OK);
    closedNs = performance.now() * 1e6;
    request.close();
  });
  const transport = new FetchTransport(transportOptions());
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
    assert.ok(trace.startNs >= closedNs, "the failed send is no part of it");
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
    assert.equal(failure?.kind, "truncated");
    assert.deepEqual([trace.retried, requests], [0, 1]);
  } finally {
    transport.close();
  }
});
