import { joinBytes } from "../../../src/client/http/join_bytes.ts";
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

/** A letter for each byte. */
const LATIN1 = new TextDecoder("latin1");

/** The exchanges of a connection that were captured whole, in their order. */
export function* httpExchanges(requests: SentBytes, replies: SentBytes): Generator<HttpExchange> {
  const [requestText, replyText] = [LATIN1.decode(requests.bytes), LATIN1.decode(replies.bytes)];
  let [requestAt, replyAt] = [0, 0];
  while (true) {
    const request = headOf(requestText, requestAt);
    const reply = headOf(replyText, replyAt);
    if (request === undefined || reply === undefined) return;
    requestAt = request.end + Number(request.headers.get("content-length") ?? 0);
    if (requestAt > requestText.length) return;
    const body = bodyOf(replyText, reply);
    if (body === undefined) return;
    replyAt = body.end;
    yield {
      requestHeaders: request.headers,
      requestedNs: requests.sentNs(requestAt),
      replyHeaders: reply.headers,
      body: joinBytes(
        body.pieces.map(({ from, start, end }) => replies.bytes.subarray(from, from + end - start)),
      ),
      sentNs: (end) => replies.sentNs(placeOf(body.pieces, end)),
    };
  }
}

function headOf(text: string, start: number): Head | undefined {
  const end = text.indexOf("\r\n\r\n", start);
  if (end < 0) return undefined;
  const [, ...lines] = text.slice(start, end).split("\r\n");
  const headers = new Map(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  }));
  return { headers, end: end + 4 };
}

/** Undefined if it did not come whole. */
function bodyOf(text: string, { headers, end: start }: Head): Body | undefined {
  if (headers.get("transfer-encoding") === "chunked") return chunksOf(text, start);
  const length = headers.get("content-length");
  // Without both, the end of the connection is the reply's.
  const end = length === undefined ? text.length : start + Number(length);
  if (end > text.length) return undefined;
  return { pieces: [{ from: start, start: 0, end: end - start }], end };
}

function chunksOf(text: string, start: number): Body | undefined {
  const pieces: Piece[] = [];
  let [at, length] = [start, 0];
  while (true) {
    const lineEnd = text.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = parseInt(text.slice(at, lineEnd), 16);
    const from = lineEnd + 2;
    at = from + size + 2;
    if (!(at <= text.length)) return undefined;
    if (size === 0) return { pieces, end: at };
    pieces.push({ from, start: length, end: length + size });
    length += size;
  }
}

/** Where in what was sent a part of a body ends. */
function placeOf(pieces: readonly Piece[], end: number): number {
  const piece = pieces.find((each) => each.end >= end) as Piece;
  return piece.from + end - piece.start;
}
