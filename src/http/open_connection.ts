import { ConnectError } from "./connect_error.ts";
import type { ByteStream } from "./socket_connection.ts";
import type { Origin, TlsTrust, TraceMarks } from "./transport.ts";

/** What it took to open a connection, in nanoseconds. */
export type ConnectionCost = Pick<TraceMarks, "dnsNs" | "connectingNs" | "tlsNs">;

/**
 * Opens a connection to an origin: its addresses in turn, then, for `https:`, the TLS handshake.
 * Sets the marks of `cost`.
 * @throws {ConnectError} if no address answers or the handshake fails
 */
export async function openConnection(
  origin: Origin,
  trust: TlsTrust,
  cost: ConnectionCost,
  nowNs: () => number,
): Promise<ByteStream> {
  const startNs = nowNs();
  // Names were looked up at the start of the run, so no lookup is part of a request.
  cost.dnsNs = 0;
  try {
    let connection = await connectTcp(origin);
    if (origin.protocol !== "https:") {
      cost.tlsNs = 0;
      return connection;
    }
    const tlsStartNs = nowNs();
    try {
      return await handshake(connection, origin, trust.caCerts);
    } catch (error) {
      if (!isUnknownIssuer(error) || trust.systemCerts.length === 0) throw tlsError(origin, error);
      connection = await connectTcp(origin);
      try {
        return await handshake(connection, origin, [...trust.caCerts, ...trust.systemCerts]);
      } catch (error) {
        throw tlsError(origin, error);
      }
    } finally {
      cost.tlsNs = nowNs() - tlsStartNs;
    }
  } finally {
    cost.connectingNs = nowNs() - startNs;
  }
}

async function connectTcp(origin: Origin): Promise<Deno.TcpConn> {
  let failure: unknown;
  for (const hostname of origin.addresses.length > 0 ? origin.addresses : [origin.hostname]) {
    try {
      const connection = await Deno.connect({ hostname, port: origin.port });
      connection.setNoDelay(true);
      return connection;
    } catch (error) {
      failure = error;
    }
  }
  throw new ConnectError("connect", `Cannot connect to ${origin.host}: ${reasonOf(failure)}`);
}

async function handshake(
  connection: Deno.TcpConn,
  origin: Origin,
  caCerts: readonly string[],
): Promise<Deno.TlsConn> {
  const stream = await Deno.startTls(connection, {
    hostname: origin.hostname,
    caCerts: [...caCerts],
    alpnProtocols: ["http/1.1"],
  });
  try {
    await stream.handshake();
    return stream;
  } catch (error) {
    stream.close();
    throw error;
  }
}

function isUnknownIssuer(error: unknown): boolean {
  return error instanceof Error && error.message.includes("UnknownIssuer");
}

function tlsError(origin: Origin, error: unknown): ConnectError {
  return new ConnectError("tls", `TLS handshake with ${origin.host} failed: ${reasonOf(error)}`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
