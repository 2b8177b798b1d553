/**
 * One HTTP/1.1 connection over Deno's sockets.
 *
 * A read is always outstanding, also while the connection idles in the pool: that is how a close by
 * the server is noticed before the next request is written to a dead connection. Reads are chained
 * by two functions bound once, because an async loop costs one more promise for each read.
 *
 * A read gets its timestamp when it returns, but in the middle of a stream it is parsed only when
 * some dozens have gathered. With hundreds of streams, the parsing state of each has left the
 * processor's caches when its next token arrives, and fetching the state costs more than parsing.
 * The next read does not wait for that while the buffer has space.
 */

import type { ByteStream } from "./open_connection.ts";
import { contentEncodingOf, DecodingSink } from "./decoding_sink.ts";
import type { KnownHead } from "./known_head.ts";
import type { ConnectionCost } from "./open_connection.ts";
import { ProtocolError } from "./protocol_error.ts";
import { ReadPile } from "./read_pile.ts";
import type { ReadReply, ReadTurn } from "./read_turn.ts";
import { RequestBytes } from "./request_bytes.ts";
import type { ResponseHead } from "./response_head.ts";
import { ResponseParser, type ResponseSink } from "./response_parser.ts";
import { tlsReason } from "./tls_reason.ts";
import type { Exchange, TransportErrorKind } from "./transport.ts";

const INITIAL_READ_BYTES = 4 * 1024;
const MAX_READ_BYTES = 64 * 1024;
/** Most reads that may wait to be handled. */
const MAX_WAITING_READS = 64;
/** With less room than this the buffer is emptied. */
const MIN_ROOM_BYTES = 1024;
const CR = 13;
const LF = 10;

/** Receiver of a connection's events. */
export interface ConnectionOwner {
  /** The reply is complete; a `reusable` connection may carry another request. */
  onReply(connection: SocketConnection, exchange: Exchange, reusable: boolean): void;
  /** The exchange failed and the connection is closed. */
  onBroken(
    connection: SocketConnection,
    exchange: Exchange,
    kind: TransportErrorKind,
    message: string,
    stampNs: number,
  ): void;
  /** The connection was closed, or spoke unasked, while no request was on it. */
  onIdleEnd(connection: SocketConnection): void;
}

/** Carries one request at a time. */
export class SocketConnection implements ResponseSink, ReadReply {
  readonly #stream: ByteStream;
  readonly #owner: ConnectionOwner;
  readonly #turn: ReadTurn;
  readonly #parser: ResponseParser;
  readonly #bytes = new RequestBytes();
  #buffer = new Uint8Array(INITIAL_READ_BYTES);
  #exchange: Exchange | undefined;
  #stampNs = 0;
  #ended = false;
  #closed = false;
  /**
   * Bytes of the reply in progress: none on a stale connection, some on one that broke mid-reply.
   */
  #replyBytes = 0;
  #used = false;
  #sending = false;
  /** Reads that wait to be looked at: where each ends in the buffer, and when it returned. */
  readonly #readEnds = new Uint32Array(MAX_WAITING_READS);
  readonly #readStamps = new Float64Array(MAX_WAITING_READS);
  /**
   * Lower bounds of the time at which the bytes of each waiting read were written, in nanoseconds.
   */
  readonly #readSinces = new Float64Array(MAX_WAITING_READS);
  readonly #readPiles = new Float64Array(MAX_WAITING_READS);
  #waitingReads = 0;
  /** Where they begin in the buffer, and where the last one ends. */
  #looked = 0;
  #filled = 0;
  #reading = false;
  /** Iteration in which the pending read began, if bytes may have been waiting. */
  #begun = -1;
  readonly #pile = new ReadPile();
  readonly #isPlain: boolean;
  /** Whether its turn to be looked at will come. */
  #queued = false;
  readonly #read: (count: number | null) => void;
  readonly #readFailed: (error: unknown) => void;
  /** Durations of opening it. */
  readonly cost: ConnectionCost;

  /** @param knownHead that of other connections */
  constructor(
    stream: ByteStream,
    owner: ConnectionOwner,
    turn: ReadTurn,
    cost: ConnectionCost,
    knownHead?: KnownHead,
  ) {
    this.cost = cost;
    this.#stream = stream;
    this.#owner = owner;
    this.#turn = turn;
    this.#parser = new ResponseParser(this, knownHead);
    this.#read = (count) => this.#onRead(count);
    this.#readFailed = (error) => this.#onReadFailed(error);
    // What a TLS record brought may lie decrypted while no read is under way.
    this.#isPlain = !(cost.tlsNs > 0);
    turn.open();
    this.#readMore();
  }

  /** Whether a request was sent on it before. */
  get used(): boolean {
    return this.#used;
  }

  /** Sends a request. The connection must be open and idle. */
  start(exchange: Exchange): void {
    const bytes = this.#bytes.of(exchange.request);
    this.#exchange = exchange;
    this.#ended = false;
    this.#pile.begin();
    this.#replyBytes = 0;
    this.#used = true;
    this.#parser.expect();
    exchange.trace.sendStartNs = this.#turn.nowNs();
    this.#write(exchange, bytes);
  }

  /** Looks at what has been read, before the connection is given up. */
  drain(): void {
    if (this.#exchange !== undefined && !this.#closed) this.#parseWaiting(this.#exchange);
  }

  /** Looks at what was read before a time, and waits for more: it may be the last that comes. */
  lookAtWaiting(beforeNs: number): void {
    if (this.#queued || this.#waitingReads === 0) return;
    if ((this.#readStamps[0] as number) < beforeNs) this.look();
  }

  /** Closes the connection; nothing is reported afterwards. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#turn.close();
    this.#exchange = undefined;
    try {
      this.#stream.close();
    } catch {
      // It was gone already.
    }
  }

  onHead(head: ResponseHead): void {
    const exchange = this.#exchange as Exchange;
    exchange.trace.headNs = this.#stampNs;
    const encoding = contentEncodingOf(head);
    if (encoding !== undefined) exchange.sink = new DecodingSink(exchange.sink, encoding);
    exchange.sink.onHead(head, this.#stampNs);
  }

  onBody(bytes: Uint8Array, start: number, end: number): void {
    const exchange = this.#exchange;
    // The sink may have given up on a reply that is too long.
    if (exchange === undefined) return;
    const { trace } = exchange;
    if (Number.isNaN(trace.firstBodyNs)) trace.firstBodyNs = this.#stampNs;
    trace.lastBodyNs = this.#stampNs;
    exchange.sink.onBody(bytes, start, end, this.#stampNs);
  }

  onEnd(): void {
    this.#ended = true;
  }

  async #write(exchange: Exchange, bytes: Uint8Array): Promise<void> {
    this.#sending = true;
    const { trace } = exchange;
    try {
      for (let sent = 0; sent < bytes.length;) {
        const written = this.#stream.write(sent === 0 ? bytes : bytes.subarray(sent));
        trace.sentSyncNs = this.#turn.nowNs();
        const count = await written;
        // The request has ended meanwhile, or goes out again on another connection.
        if (this.#closed) return;
        sent += count;
        trace.bytesSent += count;
        trace.writes++;
      }
    } catch {
      // The outstanding read reports the cause: a server may answer before it closes.
      if (this.#closed) return;
    }
    trace.sendEndNs = this.#turn.nowNs();
    this.#sending = false;
    exchange.sink.onSent();
  }

  /** @param isDrained whether the read before has left nothing, as it had room for more */
  #readMore(isDrained = false): void {
    this.#reading = true;
    this.#begun = isDrained ? -1 : this.#turn.number;
    const room = this.#filled === 0 ? this.#buffer : this.#buffer.subarray(this.#filled);
    this.#stream.read(room).then(this.#read, this.#readFailed);
  }

  #onRead(count: number | null): void {
    if (this.#closed) return;
    this.#reading = false;
    const stampNs = this.#turn.stamp();
    this.#stampNs = stampNs;
    const exchange = this.#exchange;
    if (exchange === undefined) {
      this.#endIdle();
      return;
    }
    if (count === null) {
      this.#onServerEnd(exchange, stampNs);
      return;
    }
    exchange.trace.bytesReceived += count;
    exchange.trace.reads++;
    exchange.trace.lastReadNs = stampNs;
    this.#replyBytes += count;
    const isDrained = count < this.#buffer.length - this.#filled;
    if (this.#waitingReads === 0 && this.#looked > 0) {
      // The buffer was looked at while this read was under way: it begins anew.
      this.#buffer.copyWithin(0, this.#looked, this.#looked + count);
      this.#looked = this.#filled = 0;
    }
    this.#filled += count;
    this.#readEnds[this.#waitingReads] = this.#filled;
    const sinceNs = this.#isPlain ? this.#turn.sinceNs(this.#begun) : NaN;
    this.#pile.add(stampNs, count, !isDrained, !Number.isNaN(sinceNs));
    this.#readSinces[this.#waitingReads] = sinceNs;
    this.#readPiles[this.#waitingReads] = this.#pile.sinceNs;
    this.#readStamps[this.#waitingReads++] = stampNs;
    if (this.#canReadOn()) this.#readMore(isDrained);
    // The head says how the rest is to be read.
    const canWait = this.#reading && !this.#parser.inHead && !this.#isHalfFull &&
      exchange.sink.isAwaited !== true;
    if (this.#queued || canWait) return;
    this.#queued = true;
    this.#turn.add(this);
  }

  /** Looks at what has been read, and reads on. */
  look(): void {
    this.#queued = false;
    if (this.#closed) return;
    const isFull = this.#filled === this.#buffer.length;
    // When it was drained, its reply may have ended: it idles now, and must read all the same.
    if (this.#exchange !== undefined) this.#parseWaiting(this.#exchange);
    if (this.#closed || this.#reading) return;
    if (isFull && this.#buffer.length < MAX_READ_BYTES) {
      this.#buffer = new Uint8Array(this.#buffer.length * 2);
    }
    this.#readMore();
  }

  /** Whether the waiting reads must be processed soon, so that no read has to wait for space. */
  get #isHalfFull(): boolean {
    return this.#waitingReads >= MAX_WAITING_READS / 2 || this.#filled >= this.#buffer.length / 2;
  }

  /** Whether more can be read before this is looked at: it is not the end of the reply. */
  #canReadOn(): boolean {
    const buffer = this.#buffer;
    const end = this.#filled;
    return (this.#parser.inChunks || this.#parser.inHead) &&
      this.#waitingReads < MAX_WAITING_READS &&
      buffer.length - end >= MIN_ROOM_BYTES && end >= 4 &&
      // The end of a chunked message, which events ended by LF do not look like.
      !(buffer[end - 1] === LF && buffer[end - 2] === CR && buffer[end - 3] === LF &&
        buffer[end - 4] === CR);
  }

  #parseWaiting(exchange: Exchange): void {
    const waiting = this.#waitingReads;
    const lastStampNs = this.#stampNs;
    const filled = this.#filled;
    let start = this.#looked;
    this.#waitingReads = 0;
    // The read under way goes on where it began.
    if (!this.#reading) this.#filled = 0;
    this.#looked = this.#filled;
    try {
      for (let read = 0; read < waiting && !this.#ended; read++) {
        const end = this.#readEnds[read] as number;
        this.#stampNs = this.#readStamps[read] as number;
        // What a decoder tells of this read it tells later.
        const isDecoded = exchange.sink instanceof DecodingSink;
        exchange.trace.unreadSinceNs = isDecoded ? NaN : this.#readSinces[read] as number;
        exchange.trace.piledSinceNs = isDecoded ? NaN : this.#readPiles[read] as number;
        start = this.#parser.push(this.#buffer, start, end);
        // The sink has seen enough of the reply, or the connection was given up.
        if (this.#exchange !== exchange) return;
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#fail("protocol", error.message);
      return;
    }
    if (this.#ended) {
      // A server that answers before it has read the whole request leaves the rest in the way.
      this.#finish(exchange, this.#parser.keepAlive && start === filled && !this.#sending);
    } else {
      this.#stampNs = lastStampNs;
    }
  }

  /** The server closes the connection: after a reply, in the middle of one, or without one. */
  #onServerEnd(exchange: Exchange, stampNs: number): void {
    this.#parseWaiting(exchange);
    if (this.#closed) return;
    this.#stampNs = stampNs;
    if (this.#exchange === undefined) this.#endIdle();
    else this.#onServerClose();
  }

  #endIdle(): void {
    this.close();
    this.#owner.onIdleEnd(this);
  }

  #onServerClose(): void {
    const exchange = this.#exchange as Exchange;
    const complete = this.#parser.close();
    if (complete && this.#ended) {
      this.#finish(exchange, false);
    } else {
      this.#failClosed(
        "Server closed the connection without a reply",
        `Server closed the connection in the middle of its reply, after ${this.#replyBytes} bytes`,
      );
    }
  }

  #onReadFailed(error: unknown): void {
    if (this.#closed) return;
    this.drain();
    if (this.#closed) return;
    this.#stampNs = this.#turn.nowNs();
    if (this.#exchange === undefined) {
      this.#endIdle();
      return;
    }
    const reason = messageOf(error);
    // With TLS 1.3 a server refuses a client's certificate after the client's handshake is over.
    if (this.#replyBytes === 0 && reason.startsWith("received fatal alert")) {
      this.#fail("tls", `TLS connection was refused: ${tlsReason(reason)}`);
      return;
    }
    this.#failClosed(
      `Connection broke before any byte of the reply: ${reason}`,
      `Connection broke in the middle of the reply, after ${this.#replyBytes} bytes: ${reason}`,
    );
  }

  /** Fails a request whose connection is gone: before its reply began, or in the middle of it. */
  #failClosed(before: string, inReply: string): void {
    if (this.#replyBytes === 0) this.#fail("connection_closed", before);
    else this.#fail("truncated", inReply);
  }

  #finish(exchange: Exchange, reusable: boolean): void {
    this.#exchange = undefined;
    exchange.trace.endNs = this.#stampNs;
    if (!reusable) this.close();
    this.#owner.onReply(this, exchange, reusable);
  }

  #fail(kind: TransportErrorKind, message: string): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    this.close();
    this.#owner.onBroken(this, exchange, kind, message, this.#stampNs || this.#turn.nowNs());
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
