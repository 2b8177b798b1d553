/**
 * HTTP/1.1 response framing (RFC 9112) on bytes, fed in pieces of any size.
 *
 * Strict where a lenient reader would mistake where a message ends: chunk sizes, Content-Length,
 * line ends inside chunked bodies. Line ends of the head may be a bare LF, as RFC 9112 section 2.2
 * permits. The body is forwarded as ranges of the pushed bytes, nothing is copied.
 */

import { KnownHead } from "./known_head.ts";
import { ProtocolError } from "./protocol_error.ts";
import type { Framing, ResponseHead } from "./response_head.ts";

const decoder = new TextDecoder("latin1");
const LF = 10;
const CR = 13;

/** Longest head (status line and headers together), in bytes. */
export const MAX_HEAD_BYTES = 64 * 1024;
/** Longest chunk-size line, extensions included, in bytes. */
export const MAX_CHUNK_LINE_BYTES = 4 * 1024;
/** A head is looked for in pieces of this size: a whole reply may have come with the same read. */
const HEAD_PIECE_BYTES = 1024;

/** Receiver of a {@linkcode ResponseParser}'s reports. */
export interface ResponseSink {
  onHead(head: ResponseHead): void;
  /** Body bytes, framing removed; the range is only valid during the call. */
  onBody(bytes: Uint8Array, start: number, end: number): void;
  /** The message is complete. */
  onEnd(): void;
}

const enum State {
  Idle,
  Head,
  LengthBody,
  ChunkSize,
  ChunkData,
  ChunkEnd,
  Trailer,
  CloseBody,
}

/** Reads the responses of one connection, one after another. */
export class ResponseParser {
  readonly #sink: ResponseSink;
  readonly #known: KnownHead;
  #state: State = State.Idle;
  /** Bytes of an unfinished line or head. */
  #text = "";
  #remaining = 0;
  #keepAlive = false;
  #trailerBytes = 0;

  /** @param known the head that was read last; other parsers may have read it */
  constructor(sink: ResponseSink, known: KnownHead = new KnownHead()) {
    this.#sink = sink;
    this.#known = known;
  }

  /** Whether the connection may carry another request after the message that just ended. */
  get keepAlive(): boolean {
    return this.#keepAlive;
  }

  /** Whether the head has not been read to its end. */
  get inHead(): boolean {
    return this.#state === State.Head;
  }

  /** Whether a chunked body is in progress. */
  get inChunks(): boolean {
    return this.#state === State.ChunkSize || this.#state === State.ChunkData ||
      this.#state === State.ChunkEnd;
  }

  /** Expects a response: call it once a request is sent. */
  expect(): void {
    this.#state = State.Head;
    this.#text = "";
  }

  /**
   * Reads the bytes from `start` to `end`, at most up to the end of the expected response.
   * @returns where it stopped: bytes after that belong to no response that was asked for
   * @throws {ProtocolError} if they are no proper response
   */
  push(bytes: Uint8Array, start: number, end: number): number {
    let position = start;
    while (position < end) {
      switch (this.#state) {
        case State.Idle:
          return position;
        case State.Head:
          position = this.#readHead(bytes, position, end);
          break;
        case State.LengthBody: {
          const stop = Math.min(end, position + this.#remaining);
          this.#remaining -= stop - position;
          this.#sink.onBody(bytes, position, stop);
          position = stop;
          if (this.#remaining === 0) this.#finish();
          break;
        }
        case State.ChunkSize:
          position = this.#readChunkSize(bytes, position, end);
          break;
        case State.ChunkData: {
          const stop = Math.min(end, position + this.#remaining);
          this.#remaining -= stop - position;
          this.#sink.onBody(bytes, position, stop);
          position = stop;
          if (this.#remaining === 0) {
            this.#state = State.ChunkEnd;
            this.#remaining = 2;
          }
          break;
        }
        case State.ChunkEnd:
          if (bytes[position] !== (this.#remaining === 2 ? CR : LF)) {
            throw new ProtocolError("Chunk is longer than its size says");
          }
          position++;
          if (--this.#remaining === 0) this.#state = State.ChunkSize;
          break;
        case State.Trailer:
          position = this.#readTrailer(bytes, position, end);
          break;
        case State.CloseBody:
          this.#sink.onBody(bytes, position, end);
          position = end;
          break;
      }
    }
    return position;
  }

  /**
   * Handles a connection that the server has closed.
   * @returns whether the message in progress was complete
   */
  close(): boolean {
    const complete = this.#state === State.CloseBody || this.#state === State.Idle;
    this.#keepAlive = false;
    if (this.#state === State.CloseBody) this.#finish();
    this.#state = State.Idle;
    return complete;
  }

  #finish(): void {
    this.#state = State.Idle;
    this.#sink.onEnd();
  }

  #readHead(bytes: Uint8Array, start: number, end: number): number {
    const already = this.#text.length;
    if (already === 0) {
      const length = this.#known.match(bytes, start, end);
      if (length > 0) {
        this.#begin(this.#known.head, this.#known.framing);
        return start + length;
      }
    }
    const stop = Math.min(end, start + HEAD_PIECE_BYTES, start + MAX_HEAD_BYTES + 1 - already);
    const text = this.#text + decoder.decode(bytes.subarray(start, stop));
    // RFC 9112 section 2.2: empty lines before the status line are skipped.
    let from = 0;
    while (text.startsWith("\r\n", from)) from += 2;
    // Only the new bytes, and the three before them, can hold the empty line.
    const headEnd = endOfHead(text, Math.max(from, already - 3));
    if (headEnd < 0) {
      if (text.length > MAX_HEAD_BYTES) {
        throw new ProtocolError(`Head of the reply is longer than ${MAX_HEAD_BYTES} bytes`);
      }
      const beginning = text.slice(from, from + 5);
      if (beginning !== "\r" && !"HTTP/".startsWith(beginning)) notHttp(text);
      this.#text = text;
      return stop;
    }
    this.#text = "";
    const next = start + headEnd - already;
    // Of a head that came in pieces the first bytes are gone.
    this.#beginMessage(
      text.slice(from, headEnd),
      already === 0 ? bytes.subarray(start, next) : undefined,
    );
    return next;
  }

  /** @param bytes the text's, if they are at hand */
  #beginMessage(headText: string, bytes: Uint8Array | undefined): void {
    const lines = headText.split(/\r?\n/);
    const statusLine = lines[0] as string;
    const match = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: (.*))?$/.exec(statusLine);
    if (match === null) notHttp(statusLine);
    const status = Number(match[2]);
    const headers: [string, string][] = [];
    for (let i = 1; i < lines.length; i++) {
      const line = lines[i] as string;
      if (line === "") break;
      headers.push(readHeader(line));
    }
    if (status < 200) {
      if (status === 101) throw new ProtocolError("Server switched protocols without being asked");
      return; // an interim response: the final one follows
    }
    const framing = readFraming(match[1] === "1", headers);
    const head = { status, reason: match[3] ?? "", headers };
    if (bytes !== undefined) this.#known.learn(bytes, head, framing);
    this.#begin(head, framing);
  }

  #begin(head: ResponseHead, framing: Framing): void {
    const { status } = head;
    this.#keepAlive = framing.keepAlive;
    this.#sink.onHead(head);
    const bodyless = status === 204 || status === 304 || framing.contentLength === 0;
    if (bodyless && !framing.chunked) {
      this.#finish();
    } else if (framing.chunked) {
      this.#state = State.ChunkSize;
    } else if (framing.contentLength !== undefined) {
      this.#remaining = framing.contentLength;
      this.#state = State.LengthBody;
    } else {
      this.#keepAlive = false;
      this.#state = State.CloseBody;
    }
  }

  #readChunkSize(bytes: Uint8Array, start: number, end: number): number {
    // The common case, a whole "1f\r\n" at hand, without making a string.
    let position = start;
    if (this.#text === "") {
      let size = 0;
      while (position < end && position - start < 8) {
        const digit = hexDigit(bytes[position] as number);
        if (digit < 0) break;
        size = size * 16 + digit;
        position++;
      }
      if (
        position > start && position + 1 < end && bytes[position] === CR &&
        bytes[position + 1] === LF
      ) {
        this.#beginChunk(size);
        return position + 2;
      }
    }
    let lineEnd = bytes.indexOf(LF, start);
    if (lineEnd < 0 || lineEnd >= end) lineEnd = end;
    this.#text += decoder.decode(bytes.subarray(start, lineEnd));
    if (this.#text.length > MAX_CHUNK_LINE_BYTES) {
      throw new ProtocolError(`Chunk size line is longer than ${MAX_CHUNK_LINE_BYTES} bytes`);
    }
    if (lineEnd === end) return end;
    const match = /^([0-9a-fA-F]{1,13})[ \t]*(?:;[^\r\n]*)?\r$/.exec(this.#text);
    if (match === null) {
      throw new ProtocolError(`Chunk size is not a hexadecimal number: ${quoted(this.#text)}`);
    }
    this.#text = "";
    this.#beginChunk(parseInt(match[1] as string, 16));
    return lineEnd + 1;
  }

  #beginChunk(size: number): void {
    if (size === 0) {
      this.#state = State.Trailer;
      this.#trailerBytes = 0;
    } else {
      this.#remaining = size;
      this.#state = State.ChunkData;
    }
  }

  #readTrailer(bytes: Uint8Array, start: number, end: number): number {
    // The common case, no trailer.
    if (this.#text === "" && start + 1 < end && bytes[start] === CR && bytes[start + 1] === LF) {
      this.#finish();
      return start + 2;
    }
    let lineEnd = bytes.indexOf(LF, start);
    if (lineEnd < 0 || lineEnd >= end) lineEnd = end;
    this.#trailerBytes += lineEnd - start;
    if (this.#trailerBytes > MAX_HEAD_BYTES) {
      throw new ProtocolError(`Trailer is longer than ${MAX_HEAD_BYTES} bytes`);
    }
    this.#text += decoder.decode(bytes.subarray(start, lineEnd));
    if (lineEnd === end) return end;
    const line = this.#text;
    this.#text = "";
    if (!line.endsWith("\r")) throw new ProtocolError("Line of the trailer does not end in CR LF");
    if (line === "\r") this.#finish();
    else readHeader(line.slice(0, -1));
    return lineEnd + 1;
  }
}

/** End of the empty line that ends a head; -1 if it has not arrived. */
function endOfHead(text: string, from: number): number {
  for (let at = text.indexOf("\n", from); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (text[at + 1] === "\n") return at + 2;
    if (text[at + 1] === "\r" && text[at + 2] === "\n") return at + 3;
  }
  return -1;
}

function readHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  const name = line.slice(0, colon);
  if (colon < 1 || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) {
    throw new ProtocolError(`Malformed header line: ${quoted(line)}`);
  }
  return [name.toLowerCase(), line.slice(colon + 1).trim()];
}

function readFraming(isHttp11: boolean, headers: readonly [string, string][]): Framing {
  let contentLength: number | undefined;
  let transferEncoding: string | undefined;
  let connection = "";
  for (const [name, value] of headers) {
    if (name === "content-length") {
      for (const part of value.split(",")) {
        const digits = part.trim();
        if (!/^\d{1,15}$/.test(digits)) {
          throw new ProtocolError(`Content-Length is not a number: ${quoted(value)}`);
        }
        if (contentLength !== undefined && contentLength !== Number(digits)) {
          throw new ProtocolError("Reply has two different values of Content-Length");
        }
        contentLength = Number(digits);
      }
    } else if (name === "transfer-encoding") {
      transferEncoding = transferEncoding === undefined ? value : `${transferEncoding}, ${value}`;
    } else if (name === "connection") {
      connection += `,${value.toLowerCase()}`;
    }
  }
  if (transferEncoding !== undefined) {
    if (contentLength !== undefined) {
      throw new ProtocolError("Reply has both Content-Length and Transfer-Encoding");
    }
    if (transferEncoding.trim().toLowerCase() !== "chunked") {
      throw new ProtocolError(`Transfer-Encoding is not chunked: ${quoted(transferEncoding)}`);
    }
  }
  const tokens = connection.split(",").map((token) => token.trim());
  return {
    chunked: transferEncoding !== undefined,
    contentLength,
    keepAlive: isHttp11 ? !tokens.includes("close") : tokens.includes("keep-alive"),
  };
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}

function notHttp(text: string): never {
  throw new ProtocolError(`Reply is not HTTP/1.1: it begins with ${quoted(text.trimStart())}`);
}
