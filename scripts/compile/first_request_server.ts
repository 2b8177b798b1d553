const CONTENT = { "index": 0, "delta": { "content": "hi" }, "finish_reason": "stop" };
const BODY = `data: ${JSON.stringify({ "choices": [CONTENT] })}\n\ndata: [DONE]\n\n`;
const REPLY = new TextEncoder().encode(
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" +
    `Content-Length: ${BODY.length}\r\n\r\n${BODY}`,
);

/** An inference server that tells when requests arrive, on a bare socket so as not to be in the way. */
export class FirstRequestServer {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  #onRequest: (timeMs: number) => void = () => {};
  #closed = false;

  constructor() {
    this.#accept();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#listener.addr as Deno.NetAddr).port}`;
  }

  /** The time of the next request's first bytes, by `performance.now()`. */
  nextRequest(): Promise<number> {
    return new Promise((resolve) => {
      this.#onRequest = resolve;
    });
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.#listener.close();
  }

  async #accept(): Promise<void> {
    try {
      for (;;) this.#serve(await this.#listener.accept());
    } catch (error) {
      if (!this.#closed) throw error;
    }
  }

  async #serve(connection: Deno.TcpConn): Promise<void> {
    const buffer = new Uint8Array(65_536);
    try {
      for (;;) {
        const count = await connection.read(buffer);
        if (count === null) break;
        // A request is short enough to come as a whole, and the first bytes are what is waited for.
        if (buffer[0] !== "P".charCodeAt(0)) continue;
        this.#onRequest(performance.now());
        await connection.write(REPLY);
      }
    } catch {
      // The client is gone.
    }
    connection.close();
  }
}
