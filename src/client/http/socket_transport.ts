/**
 * HTTP/1.1 over `Deno.connect`, with a pool of kept-alive connections.
 *
 * Compared with `fetch` on one core (100-event streams), it reads five times the events per second
 * with a ninth of the CPU time. It is also the only way to see when a connection was opened, a
 * request was written and its first byte came back.
 */

import { isCloseRace } from "./close_race.ts";
import { ConnectError } from "./connect_error.ts";
import { DecodingSink } from "./decoding_sink.ts";
import { type ByteStream, type ConnectionCost, openConnection } from "./open_connection.ts";
import { KnownHead } from "./known_head.ts";
import { type IdleConnection, OriginPool } from "./origin_pool.ts";
import { ReadTurn } from "./read_turn.ts";
import { type ConnectionOwner, SocketConnection } from "./socket_connection.ts";
import type {
  ConnectFault,
  Exchange,
  Origin,
  Transport,
  TransportErrorKind,
  TransportOptions,
} from "./transport.ts";

/**
 * Connections being opened at once; more wait, and their wait is the trace's `blocked`. A burst of
 * thousands of SYNs overruns a server's accept queue, which costs seconds of retransmission.
 */
const MAX_CONNECTS_UNDER_WAY = 128;
/** Connections being opened ahead at once. */
const PREPARED_AT_ONCE = 16;
type Idle = IdleConnection<SocketConnection>;

const NO_COST: ConnectionCost = { dnsNs: 0, connectingNs: 0, tlsNs: 0 };

/** Sends requests over its own sockets. */
export class SocketTransport implements Transport, ConnectionOwner {
  readonly #options: TransportOptions;
  readonly #turn: ReadTurn;
  readonly #openConnection: typeof openConnection;
  readonly #knownHead = new KnownHead();
  readonly #pools = new Map<Origin, OriginPool<SocketConnection>>();
  readonly #origins = new Map<SocketConnection, Origin>();
  readonly #active = new Map<Exchange, SocketConnection>();
  /** Requests that have no connection yet, and since when they have needed one. */
  readonly #connecting = new Map<Exchange, number>();
  /** Controllers that abort the opening of a connection, by exchange. */
  readonly #opening = new Map<Exchange, AbortController>();
  readonly #waiting: Exchange[] = [];
  /**
   * Connections being opened for the next request to a server, and the request that arrived in that
   * time.
   */
  readonly #spares = new Map<Origin, { heir: Exchange | undefined }>();
  /** Requests on a connection that had been idle. */
  readonly #pooled = new Map<Exchange, Idle>();
  /** Connections that belong to a session which is between two requests. */
  readonly #sticky = new Map<object, Idle>();
  #isClosed = false;

  /** @param open opens a connection */
  constructor(options: TransportOptions, open = openConnection) {
    this.#options = options;
    this.#openConnection = open;
    this.#turn = options.turn ?? new ReadTurn(options.nowNs, options.betweenReads);
  }

  send(exchange: Exchange): void {
    const { trace, request } = exchange;
    const nowNs = this.#options.nowNs();
    const idle = request.session === undefined || this.#options.reuse !== "sticky-user-sessions"
      ? this.#poolOf(request.origin).take(nowNs)
      : this.#takeSticky(request.session);
    trace.startNs = nowNs;
    trace.blockedNs = 0;
    if (idle === undefined) {
      this.#connect(exchange);
    } else {
      this.#pooled.set(exchange, idle);
      this.#start(idle.connection, exchange);
    }
  }

  async prepare(origin: Origin, count: number, timeoutMs: number): Promise<void> {
    if (this.#options.reuse !== "pooled") return;
    let missing = count - this.#poolOf(origin).size;
    let late = false;
    const openSome = async () => {
      while (missing-- > 0 && !late) {
        const connection = await this.#openAhead(origin);
        if (connection === undefined) continue;
        if (late) this.#discard(connection);
        else this.#poolOf(origin).add(connection, this.#options.nowNs());
      }
    };
    const all = Promise.all(Array.from({ length: PREPARED_AT_ONCE }, openSome));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const deadline = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([all, deadline]);
    clearTimeout(timer);
    late = true;
  }

  /** Opens a connection to be used later; undefined if that does not work. */
  async #openAhead(origin: Origin): Promise<SocketConnection | undefined> {
    const { trust, nowNs } = this.#options;
    const cost = { ...NO_COST };
    try {
      const stream = await this.#openConnection(origin, trust, cost, nowNs);
      if (!this.#isClosed) return this.#connectionOf(stream, origin, cost);
      stream.close();
    } catch (error) {
      // The request that needs this connection tries again, and reports the failure.
      if (!(error instanceof ConnectError)) throw error;
    }
    return undefined;
  }

  #connectionOf(stream: ByteStream, origin: Origin, cost: ConnectionCost): SocketConnection {
    const connection = new SocketConnection(stream, this, this.#turn, cost, this.#knownHead);
    this.#origins.set(connection, origin);
    return connection;
  }

  abort(exchange: Exchange): void {
    this.#connecting.delete(exchange);
    // A handshake that is never answered would keep its place for good.
    this.#opening.get(exchange)?.abort();
    this.#endOpening(exchange);
    this.#pooled.delete(exchange);
    this.#active.get(exchange)?.drain();
    if (exchange.sink instanceof DecodingSink) exchange.sink.cancel();
    const connection = this.#active.get(exchange);
    if (connection !== undefined) this.#forget(connection, exchange);
  }

  lookAtWaiting(beforeNs: number): void {
    for (const connection of [...this.#active.values()]) connection.lookAtWaiting(beforeNs);
  }

  endSession(session: object): void {
    const idle = this.#takeSticky(session);
    if (idle !== undefined) this.#discard(idle.connection);
  }

  #takeSticky(session: object): Idle | undefined {
    const idle = this.#sticky.get(session);
    this.#sticky.delete(session);
    return idle;
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#origins.keys()) connection.close();
    this.#origins.clear();
    this.#pools.clear();
    this.#active.clear();
    this.#connecting.clear();
    for (const controller of this.#opening.values()) controller.abort();
    this.#opening.clear();
    this.#pooled.clear();
    this.#sticky.clear();
    this.#waiting.length = 0;
  }

  onReply(connection: SocketConnection, exchange: Exchange, reusable: boolean): void {
    const pool = this.#poolOf(exchange.request.origin);
    this.#active.delete(exchange);
    pool.active--;
    this.#pooled.delete(exchange);
    if (exchange.trace.reused === 1) pool.noteKept();
    const { session } = exchange.request;
    const { reuse } = this.#options;
    if (reusable && reuse === "pooled") {
      pool.add(connection, exchange.trace.endNs);
      this.#serveWaiting(exchange.request.origin, pool);
    } else if (reusable && reuse === "sticky-user-sessions" && session !== undefined) {
      this.#sticky.set(session, { connection, sinceNs: exchange.trace.endNs });
    } else {
      this.#discard(connection);
    }
    exchange.sink.onEnd(exchange.trace.endNs);
  }

  onBroken(
    connection: SocketConnection,
    exchange: Exchange,
    kind: TransportErrorKind,
    message: string,
    stampNs: number,
  ): void {
    const idle = this.#pooled.get(exchange);
    const { trace } = exchange;
    this.#forget(connection, exchange);
    this.#pooled.delete(exchange);
    const isLost = kind === "connection_closed" && trace.retried === 0 &&
      this.#options.retries !== "never" &&
      isCloseRace(trace, stampNs, connection.cost.connectingNs);
    if (idle !== undefined && isLost) {
      this.#sendAgain(exchange, idle);
    } else {
      this.#report(exchange, kind, message, stampNs);
    }
  }

  /**
   * The server closed an idle connection just as it was chosen, and no part of the request was
   * answered: it goes out once more. The time of the first attempt is a part of the request.
   */
  #sendAgain(exchange: Exchange, { sinceNs }: Idle): void {
    const { trace, request } = exchange;
    if (trace.reused === 1) this.#poolOf(request.origin).noteClosed(trace.sendStartNs - sinceNs);
    trace.retried = 1;
    trace.sendStartNs = NaN;
    trace.sendEndNs = NaN;
    trace.sentSyncNs = NaN;
    trace.bytesSent = 0;
    trace.writes = 0;
    this.#connect(exchange);
  }

  onIdleEnd(connection: SocketConnection): void {
    const origin = this.#origins.get(connection);
    this.#origins.delete(connection);
    for (const [session, idle] of this.#sticky) {
      if (idle.connection === connection) this.#sticky.delete(session);
    }
    if (origin === undefined) return;
    const pool = this.#poolOf(origin);
    if (pool.drop(connection, this.#options.nowNs()) && pool.active > 0 && pool.needsSpare) {
      this.#openSpare(origin, pool);
    }
  }

  #connect(exchange: Exchange): void {
    if (!this.#connecting.has(exchange)) this.#connecting.set(exchange, this.#options.nowNs());
    const spare = this.#spares.get(exchange.request.origin);
    // A server takes connections in their order: an idle one must not stand before this request's.
    if (spare !== undefined && spare.heir === undefined) spare.heir = exchange;
    else if (this.#opening.size < MAX_CONNECTS_UNDER_WAY) this.#open(exchange);
    else this.#waiting.push(exchange);
  }

  async #open(exchange: Exchange): Promise<void> {
    const { trace, request } = exchange;
    const { nowNs, trust } = this.#options;
    const controller = new AbortController();
    this.#opening.set(exchange, controller);
    trace.blockedNs = nowNs() - (this.#connecting.get(exchange) ?? trace.startNs);
    try {
      const { signal } = controller;
      const stream = await this.#openConnection(request.origin, trust, trace, nowNs, signal);
      if (!this.#connecting.delete(exchange)) {
        stream.close(); // abandoned
        return;
      }
      this.#start(this.#connectionOf(stream, request.origin, trace), exchange);
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      if (this.#connecting.delete(exchange)) {
        this.#report(exchange, error.kind, error.message, nowNs(), error.fault);
      }
    } finally {
      if (this.#opening.get(exchange) === controller) this.#endOpening(exchange);
    }
  }

  /** Lets the next exchanges replace a connection that is no longer being opened. */
  #endOpening(exchange: Exchange): void {
    if (!this.#opening.delete(exchange)) return;
    while (this.#opening.size < MAX_CONNECTS_UNDER_WAY) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      if (this.#connecting.has(next)) this.#open(next);
    }
  }

  /** Has a request that waits for a place to open a connection take one that has become idle. */
  #serveWaiting(origin: Origin, pool: OriginPool<SocketConnection>): void {
    const isServed = (waiting: Exchange): boolean =>
      waiting.request.origin === origin && this.#connecting.has(waiting);
    const place = this.#waiting.findIndex(isServed);
    if (place < 0) return;
    const nowNs = this.#options.nowNs();
    const idle = pool.take(nowNs);
    if (idle === undefined) return;
    const [next] = this.#waiting.splice(place, 1) as [Exchange];
    next.trace.blockedNs = nowNs - (this.#connecting.get(next) ?? next.trace.startNs);
    this.#connecting.delete(next);
    this.#pooled.set(next, idle);
    this.#start(idle.connection, next);
  }

  #start(connection: SocketConnection, exchange: Exchange): void {
    const { trace, request } = exchange;
    const cost = connection.used ? NO_COST : connection.cost;
    trace.dnsNs = cost.dnsNs;
    trace.connectingNs = cost.connectingNs;
    trace.tlsNs = cost.tlsNs;
    trace.reused = connection.used ? 1 : 0;
    this.#active.set(exchange, connection);
    const pool = this.#poolOf(request.origin);
    pool.active++;
    connection.start(exchange);
    if (pool.needsSpare) this.#openSpare(request.origin, pool);
  }

  /** Opens a connection for the next request, which would not find any. */
  async #openSpare(origin: Origin, pool: OriginPool<SocketConnection>): Promise<void> {
    if (this.#spares.has(origin)) return;
    const spare: { heir: Exchange | undefined } = { heir: undefined };
    this.#spares.set(origin, spare);
    const connection = await this.#openAhead(origin);
    this.#spares.delete(origin);
    // The request may have been given up meanwhile.
    const heir = spare.heir && this.#connecting.has(spare.heir) ? spare.heir : undefined;
    if (connection === undefined) {
      if (heir !== undefined) this.#connect(heir);
    } else if (heir === undefined) {
      pool.add(connection, this.#options.nowNs());
    } else {
      this.#connecting.delete(heir);
      this.#start(connection, heir);
    }
  }

  #poolOf(origin: Origin): OriginPool<SocketConnection> {
    let pool = this.#pools.get(origin);
    if (pool === undefined) this.#pools.set(origin, pool = new OriginPool());
    return pool;
  }

  #forget(connection: SocketConnection, exchange: Exchange): void {
    this.#discard(connection);
    this.#active.delete(exchange);
    this.#poolOf(exchange.request.origin).active--;
  }

  #discard(connection: SocketConnection): void {
    connection.close();
    this.#origins.delete(connection);
  }

  #report(
    exchange: Exchange,
    kind: TransportErrorKind,
    message: string,
    stampNs: number,
    fault?: ConnectFault,
  ): void {
    exchange.trace.endNs = stampNs;
    exchange.sink.onFailure(kind, message, stampNs, fault);
  }
}
