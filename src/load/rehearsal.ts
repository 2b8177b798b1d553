/**
 * Plays replies that never were through the code that will read real ones.
 *
 * A runtime that compiles as it goes reads its first hundred streams ten times slower than all later
 * ones. Without a rehearsal that cost stands in the first TTFTs of every run: 3 to 30 ms, the more
 * the more streams begin at once.
 */

import type { EndpointType } from "../endpoint/endpoint_type.ts";
import { type ConnectionOwner, SocketConnection } from "../http/socket_connection.ts";
import type { ByteStream } from "../http/open_connection.ts";
import type { Exchange, OutgoingRequest, Transport } from "../http/transport.ts";
import { RecordBlockBuilder } from "../record/record_block.ts";
import { RequestSlot, type SlotRequest } from "./request_slot.ts";

const REPLIES = 50;
const EVENTS = 24;
const encoder = new TextEncoder();

/** Reads some hundred replies of an endpoint type from memory. Takes about ten milliseconds. */
export async function rehearse(type: EndpointType, nowNs: () => number): Promise<void> {
  const pieces = replyPieces(type.name);
  const stage = new Stage(pieces, nowNs);
  await new Promise<void>((resolve) => {
    let left = REPLIES;
    const records = new RecordBlockBuilder();
    const slot = new RequestSlot({
      endpointType: type,
      transport: stage,
      records,
      keepRaw: false,
      redact: (text) => text,
      nowNs,
      onSent() {},
      onEnded(slot) {
        if (records.count > 16) records.take();
        if (left-- > 0) slot.start(REQUEST, OUTGOING);
        else resolve();
      },
    });
    slot.start(REQUEST, OUTGOING);
  });
}

const REQUEST: SlotRequest = {
  index: 0,
  phase: 0,
  worker: 0,
  entry: 0,
  target: 0,
  intendedNs: 0,
  claimedNs: 0,
  requestId: "",
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

  constructor(pieces: readonly Uint8Array[], nowNs: () => number) {
    this.#pieces = pieces;
    this.#nowNs = nowNs;
  }

  async prepare(): Promise<void> {}

  send(exchange: Exchange): void {
    exchange.trace.startNs = this.#nowNs();
    const cost = { dnsNs: 0, connectingNs: 0, tlsNs: 0 };
    const stream = new MemoryStream(this.#pieces);
    new SocketConnection(stream, this, this.#nowNs, cost).start(exchange, new Uint8Array(1));
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

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
  }

  async read(buffer: Uint8Array): Promise<number | null> {
    // A turn of the microtask queue, for the request to be on its way.
    await Promise.resolve();
    const piece = this.#pieces[this.#next++];
    if (piece === undefined) return null;
    buffer.set(piece);
    return piece.length;
  }

  write(bytes: Uint8Array): Promise<number> {
    return Promise.resolve(bytes.length);
  }

  close(): void {}
}

/** A stream as common servers write it, an event in each piece. */
function replyPieces(typeName: string): Uint8Array[] {
  const isChat = typeName === "chat";
  const frame = (content: string, finish: string): string =>
    `data: {"id":"rehearsal-0123456789","object":"x","created":1,"model":"m","choices":[{"index":0,` +
    `${content},"logprobs":null,"finish_reason":${finish}}]}\n\n`;
  const events = [
    frame(isChat ? `"delta":{"role":"assistant","content":""}` : `"text":""`, "null"),
  ];
  for (let i = 0; i < EVENTS; i++) {
    const text = JSON.stringify(i % 8 === 7 ? `\n${i}` : ` word${i}`);
    events.push(frame(isChat ? `"delta":{"content":${text}}` : `"text":${text}`, "null"));
  }
  events.push(frame(isChat ? `"delta":{}` : `"text":""`, `"stop"`));
  events.push(
    `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\n\n`,
    "data: [DONE]\n\n",
  );
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" +
    "Transfer-Encoding: chunked\r\n\r\n";
  return [
    ...events.map((event, index) =>
      `${index === 0 ? head : ""}${event.length.toString(16)}\r\n${event}\r\n`
    ),
    "0\r\n\r\n",
  ].map((piece) => encoder.encode(piece));
}
