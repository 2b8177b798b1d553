import type { MockConnection } from "./mock_connection.ts";

/** A request as the mock server needs it. */
export interface MockRequest {
  readonly method: string;
  readonly path: string;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
  readonly keepAlive: boolean;
}

/** First byte of a TLS connection. */
const TLS_HANDSHAKE = 0x16;
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;

/** Reads the requests of one connection, one after another. */
export class RequestReader {
  readonly #connection: Pick<MockConnection, "read">;
  readonly #decoder = new TextDecoder();
  #buffer: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(connection: Pick<MockConnection, "read">) {
    this.#connection = connection;
    this.#buffer = new Uint8Array(16_384);
  }

  /**
   * The next request; undefined once the client has closed the connection.
   * @throws {SyntaxError} if it is no HTTP/1.1 request
   */
  async next(): Promise<MockRequest | undefined> {
    let headEnd = -1;
    while ((headEnd = this.#headEnd()) < 0) {
      if (!(await this.#readMore())) return undefined;
    }
    const [requestLine, ...lines] = this.#decoder.decode(this.#buffer.subarray(0, headEnd))
      .split("\r\n") as [string, ...string[]];
    const [method, path, version] = requestLine.split(" ");
    if (method === undefined || path === undefined || !version?.startsWith("HTTP/1.")) {
      throw new SyntaxError(`Not a request line: ${requestLine}`);
    }
    const headers = new Map(
      lines.filter((line) => line !== "").map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const bodyLength = Number(headers.get("content-length") ?? 0);
    const end = headEnd + bodyLength;
    while (this.#length < end) {
      if (!(await this.#readMore())) return undefined;
    }
    const body = this.#buffer.slice(headEnd, end);
    this.#buffer.copyWithin(0, end, this.#length);
    this.#length -= end;
    const keepAlive = headers.get("connection")?.toLowerCase() !== "close";
    return { method, path, headers, body, keepAlive };
  }

  #headEnd(): number {
    for (let i = 3; i < this.#length; i++) {
      if (
        this.#buffer[i] === 10 && this.#buffer[i - 1] === 13 && this.#buffer[i - 2] === 10 &&
        this.#buffer[i - 3] === 13
      ) return i + 1;
    }
    return -1;
  }

  async #readMore(): Promise<boolean> {
    if (this.#length === this.#buffer.length) {
      if (this.#length >= MAX_REQUEST_BYTES) throw new SyntaxError("Request is too long");
      const larger = new Uint8Array(this.#length * 2);
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    const count = await this.#connection.read(this.#buffer.subarray(this.#length));
    if (count === null) return false;
    // A client that begins with TLS would wait for an answer to an incomplete request.
    if (this.#length === 0 && this.#buffer[0] === TLS_HANDSHAKE) {
      throw new SyntaxError("TLS on a port without TLS");
    }
    this.#length += count;
    return true;
  }
}
