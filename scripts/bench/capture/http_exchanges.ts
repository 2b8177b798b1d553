import type { SentBytes } from "./sent_bytes.ts";

/** A request and its reply, as they were on a connection. */
export interface HttpExchange {
  /** Names are in lower case. */
  readonly requestHeaders: ReadonlyMap<string, string>;
  /** When the last byte of the request had been sent. */
  readonly requestedNs: bigint;
  readonly replyHeaders: ReadonlyMap<string, string>;
  /** The reply's body, without the framing of chunks. */
  readonly body: Uint8Array;
  /** When everything of the body before a place had been sent. */
  sentNs(end: number): bigint;
}

/** A piece of a body: where it begins in what was sent, and where it ends in the body. */
interface Piece {
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

interface Head {
  readonly headers: ReadonlyMap<string, string>;
  /** Where the body begins. */
  readonly end: number;
}

interface Body {
  readonly pieces: readonly Piece[];
  /** Where the next message begins. */
  readonly end: number;
}

const LATIN1 = new TextDecoder("latin1");

/** The exchanges of a connection that were captured whole, in their order. */
export function* httpExchanges(requests: SentBytes, replies: SentBytes): Generator<HttpExchange> {
  let [requestAt, replyAt] = [0, 0];
  while (true) {
    const request = headOf(requests.bytes, requestAt);
    const reply = headOf(replies.bytes, replyAt);
    if (request === undefined || reply === undefined) return;
    requestAt = request.end + Number(request.headers.get("content-length") ?? 0);
    if (requestAt > requests.bytes.length) return;
    const body = bodyOf(replies.bytes, reply);
    if (body === undefined) return;
    replyAt = body.end;
    yield {
      requestHeaders: request.headers,
      requestedNs: requests.sentNs(requestAt),
      replyHeaders: reply.headers,
      body: joined(replies.bytes, body.pieces),
      sentNs: (end) => replies.sentNs(placeOf(body.pieces, end)),
    };
  }
}

function headOf(bytes: Uint8Array, start: number): Head | undefined {
  const end = indexOf(bytes, "\r\n\r\n", start);
  if (end < 0) return undefined;
  const [, ...lines] = LATIN1.decode(bytes.subarray(start, end)).split("\r\n");
  const headers = new Map(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  }));
  return { headers, end: end + 4 };
}

/** Undefined if it did not come whole. */
function bodyOf(bytes: Uint8Array, { headers, end: start }: Head): Body | undefined {
  if (headers.get("transfer-encoding") === "chunked") return chunksOf(bytes, start);
  const length = headers.get("content-length");
  // Without both, the end of the connection is the reply's.
  const end = length === undefined ? bytes.length : start + Number(length);
  if (end > bytes.length) return undefined;
  return { pieces: [{ from: start, start: 0, end: end - start }], end };
}

function chunksOf(bytes: Uint8Array, start: number): Body | undefined {
  const pieces: Piece[] = [];
  let [at, length] = [start, 0];
  while (true) {
    const lineEnd = indexOf(bytes, "\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = parseInt(LATIN1.decode(bytes.subarray(at, lineEnd)), 16);
    const from = lineEnd + 2;
    at = from + size + 2;
    if (!(at <= bytes.length)) return undefined;
    if (size === 0) return { pieces, end: at };
    pieces.push({ from, start: length, end: length + size });
    length += size;
  }
}

function joined(bytes: Uint8Array, pieces: readonly Piece[]): Uint8Array {
  const body = new Uint8Array(pieces.at(-1)?.end ?? 0);
  for (const { from, start, end } of pieces) {
    body.set(bytes.subarray(from, from + end - start), start);
  }
  return body;
}

/** Where in what was sent a part of a body ends. */
function placeOf(pieces: readonly Piece[], end: number): number {
  const piece = pieces.find((each) => each.end >= end) as Piece;
  return piece.from + end - piece.start;
}

function indexOf(bytes: Uint8Array, text: string, start: number): number {
  const codes = Array.from(text, (letter) => letter.charCodeAt(0));
  for (let at = bytes.indexOf(codes[0] as number, start); at >= 0;) {
    if (codes.every((code, offset) => bytes[at + offset] === code)) return at;
    at = bytes.indexOf(codes[0] as number, at + 1);
  }
  return -1;
}
