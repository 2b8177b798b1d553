import { ConnectError } from "./connect_error.ts";
import { isDescriptorLimit } from "./descriptor_limit.ts";
import { tlsReason } from "./tls_reason.ts";
import type { ConnectFault, Origin, TlsTrust, TraceMarks } from "./transport.ts";

/** The part of `Deno.TcpConn` and `Deno.TlsConn` that a connection uses. */
export interface ByteStream {
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

/** Maximum time of opening a connection, its handshake included, in milliseconds. */
const OPEN_LIMIT_MS = 30_000;

/** Durations of opening a connection, in nanoseconds. */
export type ConnectionCost = Pick<TraceMarks, "dnsNs" | "connectingNs" | "tlsNs">;

/**
 * Opens a connection to an origin: its addresses in turn, then, for `https:`, the TLS handshake.
 * Sets the marks of `cost`.
 * @param givenUp ends it
 * @param limitMs maximum time that it may take
 * @throws {ConnectError} if no address answers, the handshake fails, it takes too long, or is given up
 */
export async function openConnection(
  origin: Origin,
  trust: TlsTrust,
  cost: ConnectionCost,
  nowNs: () => number,
  givenUp?: AbortSignal,
  limitMs: number = OPEN_LIMIT_MS,
): Promise<ByteStream> {
  const limit = new AbortController();
  const late = (): void => limit.abort(new Error(`not done within ${limitMs / 1000} s`));
  const timer = setTimeout(late, limitMs);
  const giveUp = (): void => limit.abort(givenUp?.reason);
  givenUp?.addEventListener("abort", giveUp);
  if (givenUp?.aborted) giveUp();
  try {
    return await openWithin(origin, trust, cost, nowNs, limit.signal);
  } finally {
    clearTimeout(timer);
    givenUp?.removeEventListener("abort", giveUp);
  }
}

async function openWithin(
  origin: Origin,
  trust: TlsTrust,
  cost: ConnectionCost,
  nowNs: () => number,
  givenUp: AbortSignal,
): Promise<ByteStream> {
  const startNs = nowNs();
  // Names were looked up at the start of the run, so no lookup is part of a request.
  cost.dnsNs = 0;
  try {
    if (origin.protocol !== "https:") {
      cost.tlsNs = 0;
      return await connectTcp(origin, givenUp);
    }
    const first = await connectTls(origin, trust, trust.caCerts, givenUp);
    const tlsStartNs = nowNs();
    try {
      return await handshake(first, givenUp);
    } catch (error) {
      if (!isUnknownIssuer(error) || trust.systemCerts.length === 0) throw tlsError(origin, error);
      const caCerts = [...trust.caCerts, ...trust.systemCerts];
      const second = await connectTls(origin, trust, caCerts, givenUp);
      return await handshake(second, givenUp).catch((error) => {
        throw tlsError(origin, error);
      });
    } finally {
      cost.tlsNs = nowNs() - tlsStartNs;
    }
  } finally {
    cost.connectingNs = nowNs() - startNs;
  }
}

async function connectTcp(origin: Origin, signal: AbortSignal): Promise<Deno.TcpConn> {
  let failure: unknown;
  for (const hostname of origin.addresses.length > 0 ? origin.addresses : [origin.hostname]) {
    try {
      const connection = await Deno.connect({ hostname, port: origin.port, signal });
      connection.setNoDelay(true);
      return connection;
    } catch (error) {
      failure = error;
      if (signal.aborted) throw connectError(origin, signal.reason);
    }
  }
  throw connectError(origin, failure);
}

/** A connection on which the handshake is about to happen. */
async function connectTls(
  origin: Origin,
  { clientCert }: TlsTrust,
  caCerts: readonly string[],
  givenUp: AbortSignal,
): Promise<Deno.TlsConn> {
  const { hostname, port } = origin;
  const options = { hostname, caCerts: [...caCerts], alpnProtocols: ["http/1.1"] };
  if (clientCert === undefined) {
    return await Deno.startTls(await connectTcp(origin, givenUp), options);
  }
  // Only this function takes a client's certificate. It looks the name up itself, and leaves Nagle's
  // algorithm on, which nothing turns off then.
  try {
    const opening = Deno.connectTls({ ...options, port, ...clientCert });
    return await untilGivenUp(
      opening,
      givenUp,
      () => opening.then((late) => late.close(), () => {}),
    );
  } catch (error) {
    if (error instanceof Deno.errors.InvalidData) throw tlsError(origin, error);
    throw connectError(origin, error);
  }
}

async function handshake(stream: Deno.TlsConn, givenUp: AbortSignal): Promise<Deno.TlsConn> {
  try {
    await untilGivenUp(stream.handshake(), givenUp, () => {});
    return stream;
  } catch (error) {
    stream.close();
    throw error;
  }
}

/**
 * Waits for a step that the runtime does not end.
 * @param leave called if it is given up
 * @throws the signal's reason
 */
function untilGivenUp<T>(step: Promise<T>, signal: AbortSignal, leave: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      leave();
      reject(signal.reason);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    step.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** By all of the message: others name what is in the certificate. */
function isUnknownIssuer(error: unknown): boolean {
  return error instanceof Error && error.message === "invalid peer certificate: UnknownIssuer";
}

function connectError(origin: Origin, error: unknown): ConnectError {
  const message = `Cannot connect to ${origin.host}: ${reasonOf(error)}`;
  return new ConnectError("connect", message, faultOf(error));
}

/** By the error of the operating system, which holds no text of a server. */
function faultOf(error: unknown): ConnectFault | undefined {
  if (error instanceof Deno.errors.ConnectionRefused) return "refused";
  return isDescriptorLimit(reasonOf(error)) ? "no_descriptor" : undefined;
}

function tlsError(origin: Origin, error: unknown): ConnectError {
  const reason = tlsReason(reasonOf(error));
  return new ConnectError("tls", `TLS handshake with ${origin.host} failed: ${reason}`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
