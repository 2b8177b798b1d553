import { CANARY_FIELD_COUNT } from "./canary_kind.ts";

/** Kind, intended and written time. */
const NUMBERS = CANARY_FIELD_COUNT - 1;
const MESSAGE_BYTES = NUMBERS * Float64Array.BYTES_PER_ELEMENT;
const CRLF = "\r\n";
const encoder = new TextEncoder();

/** Sent before the first canary. */
export const CANARY_HEAD = encoder.encode(
  [
    "HTTP/1.1 200 OK",
    "Content-Type: application/octet-stream",
    "Transfer-Encoding: chunked",
    CRLF,
  ].join(CRLF),
);

const CHUNK_START = encoder.encode(MESSAGE_BYTES.toString(16) + CRLF);

const CHUNK_END = encoder.encode(CRLF);

const CHUNK_BYTES = CHUNK_START.length + MESSAGE_BYTES + CHUNK_END.length;

/**
 * A canary as a chunk of an HTTP/1.1 body. The time at which it is written is taken last of all: what
 * lies between it and the write would seem to be a delay of the reader.
 */
export function canaryChunk(
  kind: number,
  intendedNs: number,
  nowNs: () => number,
): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(CHUNK_BYTES);
  chunk.set(CHUNK_START);
  chunk.set(CHUNK_END, CHUNK_START.length + MESSAGE_BYTES);
  const numbers = new Float64Array([kind, intendedNs, NaN]);
  const bytes = new Uint8Array(numbers.buffer);
  numbers[NUMBERS - 1] = nowNs();
  chunk.set(bytes, CHUNK_START.length);
  return chunk;
}

/**
 * A chunk that precedes the canary, as servers begin their streams with the role of the speaker.
 */
const REPLY_START = Uint8Array.of(...CANARY_HEAD, ...canaryChunk(NaN, NaN, () => NaN));
const REPLY_END = encoder.encode(`0${CRLF}${CRLF}`);

/** A canary as a whole HTTP/1.1 reply. */
export function canaryReply(
  kind: number,
  intendedNs: number,
  nowNs: () => number,
): Uint8Array<ArrayBuffer> {
  const reply = new Uint8Array(REPLY_START.length + CHUNK_BYTES + REPLY_END.length);
  reply.set(REPLY_START);
  reply.set(REPLY_END, REPLY_START.length + CHUNK_BYTES);
  reply.set(canaryChunk(kind, intendedNs, nowNs), REPLY_START.length);
  return reply;
}

/** Extracts canaries from the pieces of a body and ignores everything else. */
export class CanaryDecoder {
  readonly #numbers = new Float64Array(NUMBERS);
  readonly #bytes = new Uint8Array(this.#numbers.buffer);
  #filled = 0;

  /**
   * Adds a piece of the body.
   * @param rows receives the four numbers of each complete canary
   */
  push(bytes: Uint8Array, start: number, end: number, stampNs: number, rows: number[]): void {
    for (let at = start; at < end;) {
      const taken = Math.min(end - at, MESSAGE_BYTES - this.#filled);
      this.#bytes.set(bytes.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled < MESSAGE_BYTES) return;
      this.#filled = 0;
      if (!Number.isNaN(this.#numbers[0])) rows.push(...this.#numbers, stampNs);
    }
  }
}
