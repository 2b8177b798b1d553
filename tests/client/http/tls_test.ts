import assert from "node:assert/strict";
import { createTransport } from "../../../src/client/http/create_transport.ts";
import type { TlsTrust } from "../../../src/client/http/transport.ts";
import { tlsReason } from "../../../src/client/http/tls_reason.ts";
import { exchangeWith, localOrigin, transportOptions } from "../../support/exchange.ts";

const pem = (name: string): string =>
  Deno.readTextFileSync(new URL(`../../../fixtures/tls/${name}`, import.meta.url));
const TRUST: TlsTrust = { caCerts: [pem("ca.pem")], systemCerts: [] };

/** A TLS server with a certificate from the fixtures, which says hello. */
function tlsServer(name: string): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    cert: pem(`${name}.pem`),
    key: pem(`${name}.key`),
    onListen() {},
  }, () => new Response("hello"));
}

async function ask(transportName: "socket" | "fetch", certificate: string, trust: TlsTrust) {
  const server = tlsServer(certificate);
  const transport = createTransport(transportName, transportOptions({ trust }));
  try {
    const origin = {
      ...localOrigin(server.addr.port, "localhost"),
      protocol: "https:",
      addresses: ["127.0.0.1"],
    };
    const { exchange, result } = exchangeWith(origin);
    transport.send(exchange);
    return await result;
  } finally {
    transport.close();
    await server.shutdown();
  }
}

const FAILURES: readonly (readonly [string, string, TlsTrust, RegExp])[] = [
  ["expired", "expired", TRUST, /Its certificate expired on 2020-02-01$/],
  ["another name", "other-name", TRUST, /not valid for name "localhost", only for other\.test$/],
  [
    "an unknown issuer",
    "server",
    { caCerts: [], systemCerts: [] },
    /The issuer of its certificate is not known \(UnknownIssuer\): trust it with --ca-cert; behind a proxy that inspects TLS, the issuer is the proxy's CA$/,
  ],
  [
    "a CA's own certificate",
    "self-signed",
    { caCerts: [pem("self-signed.pem")], systemCerts: [] },
    /Its certificate is a CA's own .* basicConstraints CA:FALSE$/,
  ],
];

for (const transport of ["socket", "fetch"] as const) {
  for (const [name, certificate, trust, message] of FAILURES) {
    Deno.test(`${transport} transport names what is wrong with a certificate: ${name}`, async () => {
      const { failure } = await ask(transport, certificate, trust);
      assert.equal(failure?.kind, "tls");
      assert.match(failure.message, message);
    });
  }

  Deno.test(`${transport} transport trusts the CA that is named`, async () => {
    const { status, body, failure } = await ask(transport, "server", TRUST);
    assert.deepEqual({ status, body, failure }, { status: 200, body: "hello", failure: undefined });
  });

  Deno.test(`${transport} transport trusts the system's CAs beside the one named`, async () => {
    const trust = { caCerts: [pem("stranger.pem")], systemCerts: [pem("ca.pem")] };
    assert.equal((await ask(transport, "server", trust)).status, 200);
  });

  Deno.test(`${transport} transport shows a client certificate where nobody asks for it`, async () => {
    const clientCert = { cert: pem("client.pem"), key: pem("client.key") };
    const { status, trace } = await ask(transport, "server", { ...TRUST, clientCert });
    assert.equal(status, 200);
    if (transport === "socket") {
      assert.ok(trace.tlsNs > 0 && trace.connectingNs >= trace.tlsNs, JSON.stringify(trace));
    }
  });
}

Deno.test("socket transport tells a server that is not there from a bad certificate", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const clientCert = { cert: pem("client.pem"), key: pem("client.key") };
  for (const trust of [TRUST, { ...TRUST, clientCert }]) {
    const transport = createTransport("socket", transportOptions({ trust }));
    const origin = { ...localOrigin(port, "127.0.0.1"), protocol: "https:" };
    const { exchange, result } = exchangeWith(origin);
    transport.send(exchange);
    assert.equal((await result).failure?.kind, "connect");
    transport.close();
  }
});

Deno.test("tlsReason leaves alone what it does not know", () => {
  assert.equal(
    tlsReason("invalid peer certificate: BadEncoding"),
    "invalid peer certificate: BadEncoding",
  );
});
