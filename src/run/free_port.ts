const HOSTNAME = "127.0.0.1";
/** Where ports are tried: above those of well-known services, below those of connections. */
const FIRST_PORT = 20_000;
const PORTS = 10_000;
const PORT_ATTEMPTS = 20;

/**
 * A port of this machine that nobody listens at; undefined if this process may not listen. It is none
 * of those that systems give to connections, if possible: until it is used, as in a printed command,
 * one of them would be taken by somebody else sooner or later.
 */
export function freePort(): number | undefined {
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    try {
      Deno.listen({ hostname: HOSTNAME, port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) break;
    }
  }
  try {
    const listener = Deno.listen({ hostname: HOSTNAME, port: 0 });
    listener.close();
    return listener.addr.port;
  } catch {
    return undefined;
  }
}
