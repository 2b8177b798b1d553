/**
 * Requests from memory that warm up a mock server before its first request. A runtime with a
 * just-in-time compiler reads its first burst of requests 30 to 40 ms after their arrival. No
 * metric of the server includes that delay, and it would look like a client error.
 */

import type { MockConnection } from "./mock_connection.ts";

/** Connections at once, and requests on each of them. */
const CONNECTIONS = 16;
const REQUESTS = 4;
const PROMPT_WORDS = 200;
const OUTPUT_TOKENS = 16;
const encoder = new TextEncoder();

/**
 * Connections that ask a server, and close when they are answered.
 * @param path of an API that takes chats
 */
export function rehearsalConnections(path: string): MockConnection[] {
  const body = JSON.stringify({
    model: "rehearsal",
    messages: [{ role: "user", content: "Five words of a prompt ".repeat(PROMPT_WORDS / 5) }],
    max_completion_tokens: OUTPUT_TOKENS,
    stream: true,
    stream_options: { include_usage: true },
  });
  const request = encoder.encode(
    `POST ${path} HTTP/1.1\r\nHost: rehearsal\r\nContent-Type: application/json\r\n` +
      `X-Request-ID: rehearsal\r\nContent-Length: ${encoder.encode(body).length}\r\n\r\n${body}`,
  );
  return Array.from({ length: CONNECTIONS }, () => new AskingConnection(request));
}

/** Asks again and again; where the server reads on, it has answered. */
class AskingConnection implements MockConnection {
  readonly #request: Uint8Array;
  #asked = 0;

  constructor(request: Uint8Array) {
    this.#request = request;
  }

  read(buffer: Uint8Array): Promise<number | null> {
    if (this.#asked++ === REQUESTS) return Promise.resolve(null);
    buffer.set(this.#request);
    return Promise.resolve(this.#request.length);
  }

  write(bytes: Uint8Array): Promise<number> {
    return Promise.resolve(bytes.length);
  }

  close(): void {}
}
