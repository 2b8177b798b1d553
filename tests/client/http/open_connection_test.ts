import assert from "node:assert/strict";
import { ConnectError } from "../../../src/client/http/connect_error.ts";
import { openConnection } from "../../../src/client/http/open_connection.ts";
import type { TlsTrust } from "../../../src/client/http/transport.ts";
import { HAS_OPENSSL, makeAuthority } from "../../support/certificates.ts";
import { withFolder } from "../../support/artifacts.ts";

const TRUST: TlsTrust = { caCerts: [], systemCerts: [] };

/** Opens a connection to a server that accepts it and stays silent. */
async function openTo(port: number, limitMs: number, signal?: AbortSignal, trust = TRUST) {
  const origin = {
    ...{ protocol: "https:", hostname: "127.0.0.1", port, host: `127.0.0.1:${port}` },
    addresses: ["127.0.0.1"],
  };
  const cost = { dnsNs: 0, connectingNs: 0, tlsNs: 0 };
  return await openConnection(origin, trust, cost, () => 0, signal, limitMs);
}

async function assertLate(opening: Promise<unknown>): Promise<void> {
  await assert.rejects(opening, (error: ConnectError) => {
    assert.ok(error instanceof ConnectError);
    assert.match(error.message, /not done within 0.02 s$/);
    return true;
  });
}

Deno.test("openConnection ends a TLS handshake that takes too long, or is given up", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const accepted: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) accepted.push(connection);
  })();
  await assertLate(openTo(port, 20));
  if (HAS_OPENSSL) {
    await withFolder(async (folder) => {
      const { cert, key } = await makeAuthority(folder);
      await assertLate(openTo(port, 20, undefined, { ...TRUST, clientCert: { cert, key } }));
    });
  }
  const controller = new AbortController();
  const opening = openTo(port, 60_000, controller.signal);
  controller.abort(new Error("given up"));
  await assert.rejects(opening, /given up$/);
  for (const connection of accepted) connection.close();
  listener.close();
  await accepting;
});
