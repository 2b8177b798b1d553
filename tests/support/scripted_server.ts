/** A server on this machine whose behaviour each test writes itself. */

/** A request that has come, and the means to answer it. */
export interface ScriptedRequest {
  readonly head: string;
  readonly body: string;
  /** Number of the connection it came on, from 0. */
  readonly connection: number;
  reply(text: string | Uint8Array): Promise<void>;
  close(): void;
}

/** A running server. */
export interface ScriptedServer {
  /** `hostname:port` */
  readonly host: string;
  readonly port: number;
  /** Connections that were accepted. */
  readonly connections: number;
  [Symbol.dispose](): void;
}

const encoder = new TextEncoder();

/** Starts a server that calls `answer` for each request, one connection after another in parallel. */
export function scriptedServer(
  answer: (request: ScriptedRequest) => Promise<void> | void,
  hostname = "127.0.0.1",
): ScriptedServer {
  const listener = Deno.listen({ hostname, port: 0 });
  const open = new Set<Deno.TcpConn>();
  let accepted = 0;
  let closed = false;
  (async () => {
    try {
      for await (const connection of listener) {
        open.add(connection);
        serve(connection, accepted++);
      }
    } catch (error) {
      if (!closed) throw error;
    }
  })();

  async function serve(connection: Deno.TcpConn, number: number): Promise<void> {
    const close = () => {
      if (open.delete(connection)) connection.close();
    };
    const buffer = new Uint8Array(65_536);
    let text = "";
    try {
      while (open.has(connection)) {
        const headEnd = text.indexOf("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0);
        if (headEnd < 0 || text.length < headEnd + 4 + length) {
          const count = await connection.read(buffer);
          if (count === null) break;
          text += new TextDecoder().decode(buffer.subarray(0, count));
          continue;
        }
        const request: ScriptedRequest = {
          head: text.slice(0, headEnd),
          body: text.slice(headEnd + 4, headEnd + 4 + length),
          connection: number,
          async reply(reply) {
            const bytes = typeof reply === "string" ? encoder.encode(reply) : reply;
            for (let sent = 0; sent < bytes.length;) {
              sent += await connection.write(bytes.subarray(sent));
            }
          },
          close,
        };
        text = text.slice(headEnd + 4 + length);
        await answer(request);
      }
    } catch {
      // The client is gone.
    }
    close();
  }

  const { port } = listener.addr as Deno.NetAddr;
  return {
    host: `${hostname}:${port}`,
    port,
    get connections() {
      return accepted;
    },
    [Symbol.dispose]() {
      closed = true;
      listener.close();
      for (const connection of open) connection.close();
      open.clear();
    },
  };
}
