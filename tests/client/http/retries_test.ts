/** Which requests are resent whose reused connection closes before any byte of the reply. */

import assert from "node:assert/strict";
import { openConnection } from "../../../src/client/http/open_connection.ts";
import { SocketTransport } from "../../../src/client/http/socket_transport.ts";
import type { RetryRule } from "../../../src/client/http/transport.ts";
import {
  type ExchangeResult,
  exchangeWith,
  localOrigin,
  send,
  transportOptions,
} from "../../support/exchange.ts";

const OK = new TextEncoder().encode("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");

/** How a server ends a connection. */
type Ending = "close" | "half-close" | "reset";

/** The case of a test. */
interface Case {
  readonly ending: Ending;
  /** Time between the write of the request and the close. */
  readonly closeMs: number;
  readonly connectMs?: number;
  readonly retries?: RetryRule;
  /** Connections that are ended, one after another. @default 1 */
  readonly endings?: number;
}

/** The result of a request that met a closing connection. */
interface Outcome extends ExchangeResult {
  /** Requests and connections that the server has seen. */
  readonly requests: number;
  readonly connections: number;
}

/**
 * Sends two requests to a server that ends a connection on which the first one was answered. The clock
 * passes on while the server waits, from the moment at which the request is written.
 */
async function secondRequest(
  { ending, closeMs, connectMs, retries, endings = 1 }: Case,
): Promise<Outcome> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let nowNs = 0;
  let requests = 0;
  let connections = 0;
  let ended = 0;
  let written = Promise.resolve();
  const open = new Set<Deno.TcpConn>();
  const serve = async (connection: Deno.TcpConn) => {
    const buffer = new Uint8Array(4096);
    for (;;) {
      // What stays unread when a connection is closed makes a reset of its close.
      const isLast = requests > 0 && ended < endings;
      const room = isLast && ending === "reset" ? buffer.subarray(0, 16) : buffer;
      if (await connection.read(room) === null) return;
      requests++;
      if (!isLast) {
        await connection.write(OK);
        continue;
      }
      ended++;
      await written;
      nowNs += closeMs * 1e6;
      if (ending === "half-close") await connection.closeWrite();
      else connection.close();
      return;
    }
  };
  const accepting = (async () => {
    for await (const connection of listener) {
      connections++;
      open.add(connection);
      // At the end it is closed while it reads.
      serve(connection).catch(() => {});
    }
  })();
  const options = transportOptions({ nowNs: () => nowNs, retries });
  const transport = new SocketTransport(options, async (origin, trust, cost, now, givenUp) => {
    const stream = await openConnection(origin, trust, cost, now, givenUp);
    if (connectMs !== undefined) cost.connectingNs = connectMs * 1e6;
    return stream;
  });
  try {
    const origin = localOrigin((listener.addr as Deno.NetAddr).port);
    await send(transport, origin);
    nowNs += 1e9;
    const second = exchangeWith(origin);
    written = second.written;
    transport.send(second.exchange);
    return { ...await second.result, requests, connections };
  } finally {
    transport.close();
    listener.close();
    await accepting;
    for (const connection of open) {
      try {
        connection.close();
      } catch {
        // It was closed on purpose.
      }
    }
  }
}

for (const ending of ["close", "half-close", "reset"] as const) {
  Deno.test(`SocketTransport resends a request after a ${ending} within 20 ms of the write`, async () => {
    const { failure, requests, status, trace } = await secondRequest({ ending, closeMs: 19 });
    assert.deepEqual([failure, status, requests], [undefined, 200, 3]);
    assert.deepEqual([trace.retried, trace.reused], [1, 0]);
    assert.equal(trace.startNs, 1e9, "the first attempt counts");
  });

  Deno.test(`SocketTransport fails a request after a ${ending} that comes later`, async () => {
    const { failure, requests, trace } = await secondRequest({ ending, closeMs: 21 });
    assert.equal(failure?.kind, "connection_closed");
    assert.deepEqual([trace.retried, trace.reused, requests], [0, 1, 2]);
    assert.deepEqual([trace.startNs, trace.endNs], [1e9, 1.021e9]);
  });
}

Deno.test("SocketTransport allows a close the time of three connects", async () => {
  const near = await secondRequest({ ending: "close", closeMs: 140, connectMs: 50 });
  assert.deepEqual([near.failure, near.trace.retried], [undefined, 1]);
  const far = await secondRequest({ ending: "close", closeMs: 160, connectMs: 50 });
  assert.deepEqual([far.failure?.kind, far.trace.retried], ["connection_closed", 0]);
});

Deno.test("SocketTransport resends a request once only", async () => {
  const { failure, requests, trace } = await secondRequest({
    ...{ ending: "close", closeMs: 1, endings: 2 },
  });
  assert.deepEqual([failure?.kind, trace.retried, requests], ["connection_closed", 1, 3]);
  assert.equal(trace.startNs, 1e9);
});

Deno.test("SocketTransport resends no request if it is told so", async () => {
  const { failure, requests, trace } = await secondRequest({
    ...{ ending: "close", closeMs: 1, retries: "never" },
  });
  assert.deepEqual([failure?.kind, trace.retried, requests], ["connection_closed", 0, 2]);
});
