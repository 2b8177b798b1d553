/** A request as the mock server needs it. */
export interface MockRequest {
  readonly method: string;
  readonly path: string;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly keepAlive: boolean;
}

const MAX_REQUEST_BYTES = 64 * 1024 * 1024;
/** Reads of this size leave the end of a request in the kernel: see {@linkcode RequestReader}. */
const SMALL_READ_BYTES = 64;

/** Reads the requests of one connection, one after another. */
export class RequestReader {
  readonly #connection: Deno.Conn;
  readonly #decoder = new TextDecoder();
  readonly #leaveByte: boolean;
  #buffer: Uint8Array<ArrayBuffer>;
  #length = 0;

  /**
   * @param leaveByte leave the last byte of each body unread: closing the connection then resets it,
   * for which the runtime has no other way
   */
  constructor(connection: Deno.Conn, leaveByte: boolean) {
    this.#connection = connection;
    this.#leaveByte = leaveByte;
    this.#buffer = new Uint8Array(16_384);
  }

  /**
   * The next request; undefined once the client has closed the connection.
   * @throws {SyntaxError} if it is no HTTP/1.1 request
   */
  async next(): Promise<MockRequest | undefined> {
    let headEnd = -1;
    while ((headEnd = this.#headEnd()) < 0) {
      if (!(await this.#readMore(this.#leaveByte ? SMALL_READ_BYTES : Infinity))) return undefined;
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
    const wanted = this.#leaveByte && bodyLength > 0 ? end - 1 : end;
    while (this.#length < wanted) {
      if (!(await this.#readMore(wanted - this.#length))) return undefined;
    }
    let body = this.#decoder.decode(this.#buffer.subarray(headEnd, wanted));
    // The byte that was left is the brace that ends the JSON.
    if (wanted < end) body += "}";
    this.#buffer.copyWithin(0, wanted, this.#length);
    this.#length -= wanted;
    return { method, path, headers, body, keepAlive: headers.get("connection") !== "close" };
  }

  /** Reads the byte that was left, for the connection to live on. */
  async takeLeftByte(): Promise<void> {
    if (this.#leaveByte) await this.#connection.read(new Uint8Array(1));
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

  async #readMore(most: number): Promise<boolean> {
    if (this.#length === this.#buffer.length) {
      if (this.#length >= MAX_REQUEST_BYTES) throw new SyntaxError("Request is too long");
      const larger = new Uint8Array(this.#length * 2);
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    const end = Math.min(this.#buffer.length, this.#length + most);
    const count = await this.#connection.read(this.#buffer.subarray(this.#length, end));
    if (count === null) return false;
    this.#length += count;
    return true;
  }
}
