/** A listener that counts who comes, and answers nothing. */

/** See the module's comment. */
export interface ListenerLog extends AsyncDisposable {
  readonly port: number;
  /**
   * How many connections came so far. A connection of its own comes last, so that none is still on
   * its way.
   */
  count(): Promise<number>;
}

/** Starts a listener. */
export function listenerLog(hostname = "127.0.0.1", port = 0): ListenerLog {
  const listener = Deno.listen({ hostname, port });
  let count = 0;
  let onCome: () => void = () => {};
  const accepting = (async () => {
    for (;;) {
      try {
        (await listener.accept()).close();
      } catch {
        return; // closed
      }
      count++;
      onCome();
    }
  })();
  const { port: boundPort } = listener.addr as Deno.NetAddr;
  let own = 0;
  return {
    port: boundPort,
    async count() {
      own++;
      const mine = count + 1;
      const came = new Promise<void>((resolve) => {
        onCome = () => count >= mine && resolve();
      });
      (await Deno.connect({ hostname, port: boundPort })).close();
      await came;
      return count - own;
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
    },
  };
}

/** Whether this machine has the IPv6 loopback address. */
export function hasIpv6(): boolean {
  try {
    Deno.listen({ hostname: "::1", port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}
