import type { OutgoingRequest } from "./transport.ts";

const encoder = new TextEncoder();

/** Room for requests that is kept: most fit in. */
const MAX_KEPT_BYTES = 16 * 1024;

/**
 * The bytes of one request after another. Those of the last one are gone when the next one is written.
 */
export class RequestBytes {
  #room = new Uint8Array(0);

  /** The request as it goes over the wire in HTTP/1.1: head and body in one piece. */
  of(request: OutgoingRequest): Uint8Array<ArrayBuffer> {
    let bodyLength = 0;
    for (const piece of request.body) bodyLength += piece.length;
    const length = request.method === "POST" ? `Content-Length: ${bodyLength}\r\n` : "";
    const head = `${request.method} ${request.path} HTTP/1.1\r\nHost: ${request.origin.host}\r\n` +
      `${request.headerLines}${length}\r\n`;
    let bytes = this.#roomFor(head.length + bodyLength);
    const { read, written } = encoder.encodeInto(head, bytes);
    let offset = written;
    if (read !== head.length || written !== head.length) {
      // A character beyond ASCII takes more bytes than it counts in the string.
      const encoded = encoder.encode(head);
      bytes = this.#roomFor(encoded.length + bodyLength);
      bytes.set(encoded);
      offset = encoded.length;
    }
    for (const piece of request.body) {
      bytes.set(piece, offset);
      offset += piece.length;
    }
    return bytes.length === offset ? bytes : bytes.subarray(0, offset);
  }

  #roomFor(length: number): Uint8Array<ArrayBuffer> {
    if (length > MAX_KEPT_BYTES) return new Uint8Array(length);
    if (length > this.#room.length) {
      this.#room = new Uint8Array(Math.min(MAX_KEPT_BYTES, Math.ceil(length / 1024) * 1024));
    }
    return this.#room;
  }
}
