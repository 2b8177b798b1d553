/**
 * One HTTP/1.1 connection over Deno's sockets.
 *
 * A read is always outstanding, also while the connection idles in the pool: that is how a close by
 * the server is noticed before the next request is written to a dead connection. Reads are chained
 * by two functions bound once, because an async loop costs one more promise for each read.
 */

import { contentEncodingOf, DecodingSink } from "./decoding_sink.ts";
import type { ConnectionCost } from "./open_connection.ts";
import { ProtocolError } from "./protocol_error.ts";
import { type ResponseHead, ResponseParser, type ResponseSink } from "./response_parser.ts";
import type { Exchange, TransportErrorKind } from "./transport.ts";

const INITIAL_READ_BYTES = 8 * 1024;
const MAX_READ_BYTES = 64 * 1024;

/** The part of `Deno.TcpConn` and `Deno.TlsConn` that a connection uses. */
export interface ByteStream {
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

/** Who is told what becomes of a connection. */
export interface ConnectionOwner {
  /** The reply is complete; `reusable` tells whether the connection may carry another request. */
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
export class SocketConnection implements ResponseSink {
  readonly #stream: ByteStream;
  readonly #owner: ConnectionOwner;
  readonly #nowNs: () => number;
  readonly #parser: ResponseParser;
  #buffer = new Uint8Array(INITIAL_READ_BYTES);
  #exchange: Exchange | undefined;
  #stampNs = 0;
  #ended = false;
  #closed = false;
  /** Bytes of the reply under way, to tell a stale connection from one that broke in mid-reply. */
  #replyBytes = 0;
  #used = false;
  #sending = false;
  readonly #read: (count: number | null) => void;
  readonly #readFailed: (error: unknown) => void;
  /** What it took to open it. */
  readonly cost: ConnectionCost;

  constructor(
    stream: ByteStream,
    owner: ConnectionOwner,
    nowNs: () => number,
    cost: ConnectionCost,
  ) {
    this.cost = cost;
    this.#stream = stream;
    this.#owner = owner;
    this.#nowNs = nowNs;
    this.#parser = new ResponseParser(this);
    this.#read = (count) => this.#onRead(count);
    this.#readFailed = (error) => this.#onReadFailed(error);
    this.#readMore();
  }

  /** Whether a request was sent on it before. */
  get used(): boolean {
    return this.#used;
  }

  /** Whether the reply under way has not begun. */
  get replyPending(): boolean {
    return this.#replyBytes === 0;
  }

  /** Sends a request. The connection must be open and idle. */
  start(exchange: Exchange, bytes: Uint8Array): void {
    this.#exchange = exchange;
    this.#ended = false;
    this.#replyBytes = 0;
    this.#used = true;
    this.#parser.expect();
    exchange.trace.sendStartNs = this.#nowNs();
    this.#write(exchange, bytes);
  }

  /** Closes the connection; nothing is reported any more. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
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
        const count = await this.#stream.write(sent === 0 ? bytes : bytes.subarray(sent));
        sent += count;
        trace.bytesSent += count;
      }
    } catch {
      // The outstanding read tells what happened: a server may answer before it closes.
    }
    trace.sendEndNs = this.#nowNs();
    this.#sending = false;
    exchange.sink.onSent();
  }

  #readMore(): void {
    this.#stream.read(this.#buffer).then(this.#read, this.#readFailed);
  }

  #onRead(count: number | null): void {
    if (this.#closed) return;
    this.#stampNs = this.#nowNs();
    const exchange = this.#exchange;
    if (exchange === undefined) {
      this.close();
      this.#owner.onIdleEnd(this);
      return;
    }
    if (count === null) {
      this.#onServerClose();
      return;
    }
    exchange.trace.bytesReceived += count;
    this.#replyBytes += count;
    let stop: number;
    try {
      stop = this.#parser.push(this.#buffer, 0, count);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#fail("protocol", error.message);
      return;
    }
    if (this.#closed) return;
    if (this.#ended) {
      // A server that answers before it has read the whole request leaves the rest in the way.
      this.#finish(exchange, this.#parser.keepAlive && stop === count && !this.#sending);
      if (this.#closed) return;
    } else if (count === this.#buffer.length && count < MAX_READ_BYTES) {
      this.#buffer = new Uint8Array(count * 2);
    }
    this.#readMore();
  }

  #onServerClose(): void {
    const exchange = this.#exchange as Exchange;
    const complete = this.#parser.close();
    if (complete && this.#ended) {
      this.#finish(exchange, false);
    } else {
      this.#fail(
        "truncated",
        this.#replyBytes === 0
          ? "Server closed the connection without a reply"
          : `Server closed the connection in the middle of its reply, after ${this.#replyBytes} bytes`,
      );
    }
  }

  #onReadFailed(error: unknown): void {
    if (this.#closed) return;
    this.#stampNs = this.#nowNs();
    if (this.#exchange === undefined) {
      this.close();
      this.#owner.onIdleEnd(this);
      return;
    }
    const where = this.#replyBytes === 0
      ? "before any byte of the reply"
      : `in the middle of the reply, after ${this.#replyBytes} bytes`;
    this.#fail("truncated", `Connection broke ${where}: ${messageOf(error)}`);
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
    this.#owner.onBroken(this, exchange, kind, message, this.#stampNs || this.#nowNs());
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
