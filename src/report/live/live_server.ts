/**
 * Serves one request per connection over HTTP/1.1. The runtime's own server limits neither
 * connections nor the time until a request arrives, and ends if the process has no descriptors
 * left: any program that reaches the port could then stop the live page, or the run.
 */

import { Buffer } from "node:buffer";
import { joinBytes } from "../../client/http/join_bytes.ts";
import { writeAll } from "../../core/files/write_all.ts";
import { pause, type Timers } from "../../core/thread/timers.ts";

/** Connections open at the same time. */
const MAX_CONNECTIONS = 32;
/** Time until the head of a request is complete. */
const HEAD_MS = 5000;
/** Time until the client has taken the reply. */
const REPLY_MS = 10_000;
/** Time for bytes of the request that arrive after the reply. */
const LINGER_MS = 500;
/** Pause after `accept` failed, for example because there are no descriptors. */
const RETRY_MS = 50;
const MAX_HEAD_BYTES = 16_384;

/** Methods that a `Request` accepts; the answer does not depend on which of the others it is. */
const METHOD = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;
/** Statuses of the replies here, by code. */
const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

const encoder = new TextEncoder();

/** Connection of a client, and how far its request is. */
interface Client {
  readonly connection: Deno.Conn;
  /** Set once the request is known to be allowed; such a client is not dropped for another one. */
  isAllowed: boolean;
  callOff: () => void;
}

/** See the module's comment. */
export class LiveServer {
  readonly #listener: Deno.Listener;
  readonly #answer: (request: Request) => Response;
  readonly #timers: Timers;
  /** In the order of arrival. */
  readonly #clients = new Map<Client, Promise<void>>();
  readonly #accepting: Promise<void>;

  /** @param answer reply to a request; status 401 marks a client without the token */
  constructor(
    listener: Deno.Listener,
    answer: (request: Request) => Response,
    timers: Timers,
  ) {
    this.#listener = listener;
    this.#answer = answer;
    this.#timers = timers;
    this.#accepting = this.#accept();
  }

  /** Frees the port; resolves when the replies in progress are sent. */
  async close(): Promise<void> {
    this.#listener.close();
    for (const client of this.#clients.keys()) {
      if (!client.isAllowed) this.#drop(client);
    }
    await Promise.all([this.#accepting, ...this.#clients.values()]);
  }

  async #accept(): Promise<void> {
    for (;;) {
      let connection: Deno.Conn;
      try {
        connection = await this.#listener.accept();
      } catch (error) {
        if (error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted) {
          return;
        }
        await pause(this.#timers, RETRY_MS);
        continue;
      }
      if (this.#clients.size >= MAX_CONNECTIONS && !this.#makeRoom()) {
        close(connection);
        continue;
      }
      const client: Client = { connection, isAllowed: false, callOff: () => {} };
      this.#clients.set(client, this.#serve(client));
    }
  }

  /** Drops the oldest client without a valid request. */
  #makeRoom(): boolean {
    for (const client of this.#clients.keys()) {
      if (client.isAllowed) continue;
      this.#drop(client);
      return true;
    }
    return false;
  }

  #drop(client: Client): void {
    this.#clients.delete(client);
    client.callOff();
    close(client.connection);
  }

  #limit(client: Client, limitMs: number): void {
    client.callOff();
    client.callOff = this.#timers.once(limitMs, () => close(client.connection));
  }

  async #serve(client: Client): Promise<void> {
    const { connection } = client;
    try {
      this.#limit(client, HEAD_MS);
      const head = await readHead(connection);
      if (head === undefined) return;
      const request = requestOf(head);
      const response = request === undefined
        ? new Response("Not an HTTP/1.1 request\n", { status: 400 })
        : this.#answered(request);
      client.isAllowed = response.ok;
      this.#limit(client, REPLY_MS);
      await writeAll(connection, await bytesOf(response, request?.method === "HEAD"));
      await connection.closeWrite();
      this.#limit(client, LINGER_MS);
      // Closing with unread bytes resets the connection, and the client loses the reply.
      const rest = new Uint8Array(MAX_HEAD_BYTES);
      while (await connection.read(rest) !== null);
    } catch {
      // The client has closed the connection, or was dropped.
    } finally {
      this.#drop(client);
    }
  }

  #answered(request: Request): Response {
    try {
      return this.#answer(request);
    } catch {
      return new Response(null, { status: 500 });
    }
  }
}

/** Head of a request as text; undefined if the client closed before, or it is too long. */
async function readHead(connection: Deno.Conn): Promise<string | undefined> {
  const buffer = Buffer.alloc(MAX_HEAD_BYTES);
  for (let length = 0; length < buffer.length;) {
    const count = await connection.read(buffer.subarray(length));
    if (count === null) return undefined;
    const before = length;
    length += count;
    const end = buffer.subarray(0, length).indexOf("\r\n\r\n", Math.max(0, before - 3));
    if (end >= 0) return buffer.toString("latin1", 0, end);
  }
  return undefined;
}

/** Request of a head; undefined if it is none of HTTP/1. */
function requestOf(head: string): Request | undefined {
  const [first = "", ...lines] = head.split("\r\n");
  const [, method, target] = /^([A-Za-z]+) (\/\S*) HTTP\/1\.[01]$/.exec(first) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const authorization = lines.find((line) => /^authorization:/i.test(line));
  try {
    return new Request(new URL(`http://live${target}`), {
      method: METHOD.test(method) ? method : "POST",
      headers: authorization === undefined
        ? {}
        : { "Authorization": authorization.slice(authorization.indexOf(":") + 1).trim() },
    });
  } catch {
    return undefined;
  }
}

async function bytesOf(response: Response, isHead: boolean): Promise<Uint8Array> {
  const body = new Uint8Array(await response.arrayBuffer());
  const { headers, status } = response;
  headers.set("Content-Length", String(body.length));
  headers.set("Connection", "close");
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = encoder.encode(`HTTP/1.1 ${status} ${REASONS[status] ?? ""}\r\n${lines}\r\n`);
  if (isHead) return head;
  return joinBytes([head, body]);
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // A limit or the client was faster.
  }
}
