/**
 * Plays replies that never were through the code that will read real ones.
 *
 * A runtime that compiles as it goes reads its first hundred streams ten times slower than all later
 * ones. Without a rehearsal that cost stands in the first TTFTs of every run: 3 to 30 ms, the more
 * the more streams begin at once.
 */

import type { EndpointType } from "../endpoint/protocol/endpoint_type.ts";
import type { ReplyPiece, ScriptedReply } from "../endpoint/protocol/reply_writer.ts";
import { type ConnectionOwner, SocketConnection } from "../http/socket_connection.ts";
import type { ByteStream } from "../http/open_connection.ts";
import { ReadTurn } from "../http/read_turn.ts";
import { chunkText, LAST_CHUNK, streamHead, wholeReply } from "../http/reply_text.ts";
import type { Exchange, OutgoingRequest, Transport } from "../http/transport.ts";
import { RecordBlockBuilder } from "../record/record_block.ts";
import { SYSTEM_TIMERS } from "../thread/timers.ts";
import { RequestSlot, type SlotRequest } from "./request_slot.ts";

const REPLIES = 50;
const PIECES = 24;
const encoder = new TextEncoder();

/**
 * Reads some dozen replies of an endpoint type from memory. Takes about ten milliseconds.
 * @returns how many of them were valid: all, unless the type does not read what it writes
 */
export async function rehearse(
  type: EndpointType,
  streaming: boolean,
  nowNs: () => number,
): Promise<number> {
  const stage = new Stage(replyBytes(type, streaming), nowNs);
  return await new Promise<number>((resolve) => {
    let left = REPLIES;
    let valid = 0;
    const records = new RecordBlockBuilder();
    const slot = new RequestSlot({
      endpointType: type,
      transport: stage,
      records,
      keepRaw: false,
      redact: (text) => text,
      nowNs,
      timers: SYSTEM_TIMERS,
      onSent() {},
      onEnded(slot, { kind }) {
        if (records.count > 16) records.take();
        if (kind === undefined) valid++;
        if (--left > 0) slot.start(REQUEST, OUTGOING);
        else resolve(valid);
      },
    });
    slot.start(REQUEST, OUTGOING);
  });
}

const REQUEST: SlotRequest = {
  index: 0,
  session: 0,
  turn: 0,
  turns: 1,
  phase: 0,
  worker: 0,
  entry: 0,
  target: 0,
  model: 0,
  intendedNs: 0,
  claimedNs: 0,
  requestId: "",
  correlationId: "",
};

const OUTGOING: OutgoingRequest = {
  origin: { protocol: "http:", hostname: "", port: 0, addresses: [], host: "rehearsal" },
  method: "POST",
  path: "/",
  headerLines: "",
  body: [encoder.encode("{}")],
};

/** A transport whose server is a list of bytes. */
class Stage implements Transport, ConnectionOwner {
  readonly #pieces: readonly Uint8Array[];
  readonly #nowNs: () => number;
  readonly #turn: ReadTurn;

  constructor(pieces: readonly Uint8Array[], nowNs: () => number) {
    this.#pieces = pieces;
    this.#nowNs = nowNs;
    this.#turn = new ReadTurn(nowNs);
  }

  async prepare(): Promise<void> {}

  send(exchange: Exchange): void {
    exchange.trace.startNs = this.#nowNs();
    const cost = { dnsNs: 0, connectingNs: 0, tlsNs: 0 };
    const stream = new MemoryStream(this.#pieces);
    new SocketConnection(stream, this, this.#turn, cost).start(exchange);
  }

  abort(): void {}

  close(): void {}

  onReply(_connection: SocketConnection, exchange: Exchange): void {
    exchange.sink.onEnd(this.#nowNs());
  }

  onBroken(): void {}

  onIdleEnd(): void {}
}

/** Gives its pieces one a read. */
class MemoryStream implements ByteStream {
  readonly #pieces: readonly Uint8Array[];
  #next = 0;
  /** What of the next piece was given already. */
  #given = 0;

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
  }

  async read(buffer: Uint8Array): Promise<number | null> {
    // A turn of the microtask queue, for the request to be on its way.
    await Promise.resolve();
    const piece = this.#pieces[this.#next];
    if (piece === undefined) return null;
    const given = piece.subarray(this.#given, this.#given + buffer.length);
    buffer.set(given);
    this.#given += given.length;
    if (this.#given === piece.length) {
      this.#next++;
      this.#given = 0;
    }
    return given.length;
  }

  write(bytes: Uint8Array): Promise<number> {
    return Promise.resolve(bytes.length);
  }

  close(): void {}
}

/** What the replies say. An escape here and there is read in another way than plain text. */
const SCRIPT: ScriptedReply = {
  id: "rehearsal-0123456789",
  createdSeconds: 1,
  model: "m",
  promptTokens: 1,
  pieces: Array.from({ length: PIECES }, (_, index): ReplyPiece => ({
    text: index % 8 === 7 ? `\n${index}` : ` word${index}`,
    tokens: 1,
    isReasoning: false,
  })),
  finishReason: "stop",
  includeUsage: true,
  usageInChunks: false,
  results: 1,
};

/** A reply as servers of this type write it: a stream, a frame in each piece, or a whole. */
function replyBytes(type: EndpointType, streaming: boolean): Uint8Array[] {
  const { stream } = type.writer;
  if (!streaming || stream === undefined) {
    const { contentType, body } = type.writer.whole(SCRIPT);
    return [wholeReply("200 OK", contentType, body)];
  }
  const { opening, content, closing } = stream.frames(SCRIPT);
  const frames = [...opening, ...content, ...closing].map((frame) => chunkText(frame));
  frames[0] = streamHead(stream.contentType) + (frames[0] ?? "");
  return [...frames, LAST_CHUNK].map((frame) => encoder.encode(frame));
}
