/** A plain HTTP/1.1 client that shares nothing with the product's, and tells how connections end. */

import { HANG_MS } from "./hang_guard.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A reply as it stood on the wire. */
export interface WireReply {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Chunked bodies put together. */
  readonly body: string;
  /** Its proper end was read; or the connection was closed, or reset, before that. */
  readonly end: "complete" | "closed" | "reset";
  /** Length of the body when each read had been taken in, and `performance.now()` of that. */
  readonly reads: readonly { readonly length: number; readonly atMs: number }[];
}

/** One connection to a server on this machine. */
export class RawConnection implements Disposable {
  readonly #connection: Deno.TcpConn;
  #bytes = new Uint8Array(0);
  #deadline: ReturnType<typeof setTimeout> | undefined;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
    // A server that says nothing for so long fails the test instead of holding it up.
    this.#deadline = setTimeout(() => this.close(), HANG_MS);
  }

  static async open(port: number): Promise<RawConnection> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    connection.setNoDelay(true);
    return new RawConnection(connection);
  }

  /** Writes bytes as they are. */
  async write(text: string | Uint8Array): Promise<void> {
    const bytes = typeof text === "string" ? encoder.encode(text) : text;
    for (let sent = 0; sent < bytes.length;) {
      sent += await this.#connection.write(bytes.subarray(sent));
    }
  }

  /** Sends a request with a JSON body, if any. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const text = typeof body === "string" ? body : JSON.stringify(body ?? "");
    const bytes = body instanceof Uint8Array ? body : encoder.encode(text);
    const lines = Object.entries({
      "Host": "127.0.0.1",
      ...(body === undefined ? {} : { "Content-Length": String(bytes.length) }),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    await this.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    if (body !== undefined && bytes.length > 0) await this.write(bytes);
  }

  /** Reads the next reply. */
  async reply(): Promise<WireReply> {
    const reads: { length: number; atMs: number }[] = [];
    for (;;) {
      const found = parse(this.#bytes);
      if (found?.complete) {
        this.#bytes = this.#bytes.slice(found.length);
        return { ...found.reply, end: "complete", reads };
      }
      const ending = await this.#read();
      const { body = "" } = parse(this.#bytes)?.reply ?? {};
      if (ending !== undefined) {
        const partial = found?.reply ?? { status: 0, headers: new Map(), body: "" };
        return { ...partial, end: ending, reads };
      }
      reads.push({ length: body.length, atMs: performance.now() });
    }
  }

  /** Waits for the server to end the connection; tells how it did. */
  async ending(): Promise<"closed" | "reset"> {
    for (;;) {
      const ending = await this.#read();
      if (ending !== undefined) return ending;
    }
  }

  close(): void {
    if (this.#deadline === undefined) return;
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
    this.#connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #read(): Promise<"closed" | "reset" | undefined> {
    const buffer = new Uint8Array(65_536);
    try {
      const count = await this.#connection.read(buffer);
      if (count === null) return "closed";
      const longer = new Uint8Array(this.#bytes.length + count);
      longer.set(this.#bytes);
      longer.set(buffer.subarray(0, count), this.#bytes.length);
      this.#bytes = longer;
      return undefined;
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionReset) return "reset";
      throw error;
    }
  }
}

/** Opens a connection for one request. */
export async function exchangeOnce(
  port: number,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<WireReply> {
  using connection = await RawConnection.open(port);
  await connection.send(method, path, body, headers);
  return await connection.reply();
}

interface Parsed {
  readonly reply: Omit<WireReply, "end" | "reads">;
  readonly complete: boolean;
  /** Bytes of the reply. */
  readonly length: number;
}

/** What stands at the beginning of some bytes; undefined before the end of the head. */
function parse(bytes: Uint8Array): Parsed | undefined {
  // One character for each byte, so that lengths can be counted in it.
  const text = String.fromCharCode(...bytes.subarray(0, 16_384)) +
    (bytes.length > 16_384 ? new TextDecoder("latin1").decode(bytes.subarray(16_384)) : "");
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [statusLine = "", ...lines] = text.slice(0, headEnd).split("\r\n");
  const headers = new Map(lines.map((line): [string, string] => {
    const colon = line.indexOf(": ");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
  }));
  const status = Number(statusLine.split(" ")[1]);
  const start = headEnd + 4;
  const utf8 = (latin: string): string =>
    decoder.decode(Uint8Array.from(latin, (character) => character.charCodeAt(0)));
  if (headers.get("transfer-encoding") !== "chunked") {
    const wanted = Number(headers.get("content-length") ?? 0);
    const body = text.slice(start, start + wanted);
    const complete = body.length === wanted;
    return { reply: { status, headers, body: utf8(body) }, complete, length: start + wanted };
  }
  let body = "";
  for (let at = start;;) {
    const lineEnd = text.indexOf("\r\n", at);
    const size = lineEnd < 0 ? NaN : parseInt(text.slice(at, lineEnd), 16);
    if (size === 0 && text.startsWith("\r\n\r\n", lineEnd)) {
      return { reply: { status, headers, body: utf8(body) }, complete: true, length: lineEnd + 4 };
    }
    const end = lineEnd + 2 + size;
    if (!(size > 0) || text.slice(end, end + 2) !== "\r\n") {
      return { reply: { status, headers, body: utf8(body) }, complete: false, length: 0 };
    }
    body += text.slice(lineEnd + 2, end);
    at = end + 2;
  }
}
