import assert from "node:assert/strict";
import { FetchTransport } from "../../../src/client/http/fetch_transport.ts";
import { SocketTransport } from "../../../src/client/http/socket_transport.ts";
import { localOrigin, send, transportOptions } from "../../support/exchange.ts";
import { FAULTS, startFaultServer } from "../../support/fault_server.ts";

/** Faults that end by themselves, and that both transports can be shown. */
const COMPARED = FAULTS.filter((fault) =>
  !/stall|infinite|pings|flaky|bomb|echo|redirect_/.test(fault)
);

/** A refusal of the framing has no one kind: `fetch` does not tell what it refused. */
const FRAMING = new Set(["truncated", "connection_closed", "protocol", "connect"]);

Deno.test("socket and fetch transports give the same replies on a mixed run", async (t) => {
  const server = startFaultServer();
  const socket = new SocketTransport(transportOptions());
  const fetching = new FetchTransport(transportOptions());
  try {
    for (const fault of COMPARED) {
      await t.step(fault, async () => {
        const path = `/${fault}/v1/chat/completions`;
        const [a, b] = [
          await send(socket, localOrigin(server.port), path),
          await send(fetching, localOrigin(server.port), path),
        ];
        assert.equal(a.failure === undefined, b.failure === undefined, JSON.stringify([a, b]));
        if (a.failure !== undefined) {
          assert.ok(FRAMING.has(a.failure.kind) && FRAMING.has(b.failure?.kind ?? ""));
          return;
        }
        assert.equal(a.status, b.status);
        assert.equal(a.body, b.body);
        const type = (headers: typeof a.headers) =>
          headers.find(([name]) => name === "content-type")?.[1];
        assert.equal(type(a.headers), type(b.headers));
      });
    }
  } finally {
    socket.close();
    fetching.close();
    server.close();
  }
});

Deno.test("FetchTransport reports a refused connection and an abandoned request as the other does", async () => {
  const transport = new FetchTransport(transportOptions());
  try {
    const { failure } = await send(transport, localOrigin(1));
    assert.equal(failure?.kind, "connect");
  } finally {
    transport.close();
  }
});
