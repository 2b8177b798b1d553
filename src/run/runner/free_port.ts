const LOOPBACK = "127.0.0.1";
/** Where ports are tried: above those of well-known services, below those of connections. */
const FIRST_PORT = 20_000;
const PORTS = 10_000;
const PORT_ATTEMPTS = 20;

/** A port of this machine's own address; undefined if this process may not listen. */
export function freePort(): number | undefined {
  try {
    return freePortAt(LOOPBACK);
  } catch {
    return undefined;
  }
}

/**
 * A port that nobody listens at. It is none of those that systems give to connections, if possible:
 * until it is used, as in a printed command, one of them would be taken by somebody else sooner or
 * later.
 * @throws {Error} if this process cannot listen at that address
 */
export function freePortAt(hostname: string): number {
  for (let left = PORT_ATTEMPTS;; left--) {
    const port = left === 0 ? 0 : FIRST_PORT + Math.floor(Math.random() * PORTS);
    try {
      using listener = Deno.listen({ hostname, port });
      return listener.addr.port;
    } catch (error) {
      if (left === 0 || !(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
