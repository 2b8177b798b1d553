import type { OutgoingRequest } from "./transport.ts";

const encoder = new TextEncoder();

/** Room in which shared memory is copied as fast as other memory, a piece at a time. */
const STAGE_BYTES = 16 * 1024;
const WORD_BYTES = 8;
const stage = new Uint8Array(STAGE_BYTES + WORD_BYTES);

/** A longer request does not stay in memory when it is sent. */
const MAX_KEPT_BYTES = 16 * 1024;
const NO_REQUEST: Pick<OutgoingRequest, "method" | "path" | "headerLines"> = {
  method: "GET",
  path: "",
  headerLines: "",
};

/**
 * The bytes of one request after another. What the head of the next one has in common with the last
 * stays where it is; the bytes of the last one are gone by then.
 */
export class RequestBytes {
  #room = new Uint8Array(0);
  /** The beginning of the head that the room begins with, and whose it is. */
  #shared = new Uint8Array(0);
  #sharedBy = NO_REQUEST;
  #host = "";

  /** Returns the request as sent in HTTP/1.1: head and body in one array. */
  of(request: OutgoingRequest): Uint8Array<ArrayBuffer> {
    const { method, ownLines = "", body } = request;
    let bodyLength = 0;
    for (const piece of body) bodyLength += piece.length;
    const length = method === "POST" ? `Content-Length: ${bodyLength}\r\n` : "";
    const rest = `${ownLines}${length}\r\n`;
    if (!this.#isShared(request)) this.#share(request);
    const sharedLength = this.#shared.length;
    const bytes = this.#roomFor(sharedLength + 3 * rest.length + bodyLength);
    let offset = writeText(rest, bytes, sharedLength);
    for (const piece of body) {
      copy(piece, bytes, offset);
      offset += piece.length;
    }
    return bytes.subarray(0, offset);
  }

  #isShared({ method, path, headerLines, origin: { host } }: OutgoingRequest): boolean {
    const by = this.#sharedBy;
    return headerLines === by.headerLines && path === by.path && host === this.#host &&
      method === by.method;
  }

  #share(request: OutgoingRequest): void {
    const { method, path, headerLines, origin: { host } } = request;
    this.#shared = encoder.encode(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${headerLines}`);
    this.#sharedBy = { method, path, headerLines };
    this.#host = host;
    this.#room = new Uint8Array(0);
  }

  /** Returns space for `length` bytes, with the shared ones in it. */
  #roomFor(length: number): Uint8Array<ArrayBuffer> {
    if (length <= this.#room.length) return this.#room;
    const room = new Uint8Array(Math.ceil(length / 1024) * 1024);
    room.set(this.#shared);
    if (length <= MAX_KEPT_BYTES) this.#room = room;
    return room;
  }
}

/**
 * Copies bytes to `start`. The runtime copies shared memory, in which bodies lie, byte by byte unless
 * it goes to a place with the same remainder of eight, which takes ten times as long.
 */
function copy(from: Uint8Array, bytes: Uint8Array, start: number): void {
  if (from.buffer instanceof ArrayBuffer) return bytes.set(from, start);
  const shift = from.byteOffset % WORD_BYTES;
  for (let at = 0; at < from.length; at += STAGE_BYTES) {
    const piece = from.subarray(at, at + STAGE_BYTES);
    stage.set(piece, shift);
    bytes.set(stage.subarray(shift, shift + piece.length), start + at);
  }
}

/** Writes a text at `start`, and returns where it ends. */
function writeText(text: string, bytes: Uint8Array, start: number): number {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return start + encoder.encodeInto(text, bytes.subarray(start)).written;
    bytes[start + i] = code;
  }
  return start + text.length;
}
