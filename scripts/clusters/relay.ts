/**
 * Lets processes of other network namespaces reach a server that listens on 127.0.0.1 alone, as the
 * mock server does: connections to an address of a bridge are handed on.
 */
export class Relay {
  readonly #listener: Deno.Listener;
  readonly #target: Deno.ConnectOptions;

  constructor(address: Deno.ListenOptions & { port: number }, port: number) {
    this.#listener = Deno.listen(address);
    this.#target = { hostname: "127.0.0.1", port };
    void this.#accept();
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) void this.#handOn(connection);
  }

  async #handOn(connection: Deno.Conn): Promise<void> {
    try {
      const server = await Deno.connect(this.#target);
      server.setNoDelay();
      (connection as Deno.TcpConn).setNoDelay();
      const pipes = [
        connection.readable.pipeTo(server.writable),
        server.readable.pipeTo(connection.writable),
      ];
      await Promise.allSettled(pipes);
    } catch {
      connection.close();
    }
  }

  close(): void {
    this.#listener.close();
  }
}
