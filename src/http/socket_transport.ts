/**
 * HTTP/1.1 over `Deno.connect`, with a pool of kept-alive connections.
 *
 * Measured against `fetch` on one core (100-event streams): five times the events per second and a
 * ninth of the CPU; it is also the only way to see when a connection was opened, a request was
 * written and its first byte came back.
 */

import { ConnectError } from "./connect_error.ts";
import { DecodingSink } from "./decoding_sink.ts";
import { type ConnectionCost, openConnection } from "./open_connection.ts";
import { requestBytes } from "./request_bytes.ts";
import { type ConnectionOwner, SocketConnection } from "./socket_connection.ts";
import type {
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
const NO_COST: ConnectionCost = { dnsNs: 0, connectingNs: 0, tlsNs: 0 };

/** Sends requests over its own sockets. */
export class SocketTransport implements Transport, ConnectionOwner {
  readonly #options: TransportOptions;
  readonly #idle = new Map<Origin, SocketConnection[]>();
  readonly #origins = new Map<SocketConnection, Origin>();
  readonly #active = new Map<Exchange, SocketConnection>();
  readonly #connecting = new Set<Exchange>();
  readonly #waiting: Exchange[] = [];
  /** Requests on a connection that had been idle. */
  readonly #pooled = new Set<Exchange>();
  #connects = 0;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  send(exchange: Exchange): void {
    const { trace, request } = exchange;
    const connection = this.#idle.get(request.origin)?.pop();
    trace.startNs = this.#options.nowNs();
    trace.blockedNs = 0;
    if (connection === undefined) {
      this.#connect(exchange);
      return;
    }
    const cost = connection.used ? NO_COST : connection.cost;
    trace.dnsNs = cost.dnsNs;
    trace.connectingNs = cost.connectingNs;
    trace.tlsNs = cost.tlsNs;
    trace.reused = connection.used ? 1 : 0;
    this.#pooled.add(exchange);
    this.#start(connection, exchange);
  }

  async prepare(origin: Origin, count: number, timeoutMs: number): Promise<void> {
    if (this.#options.reuse !== "pooled") return;
    let missing = count - (this.#idle.get(origin)?.length ?? 0);
    let late = false;
    const openSome = async () => {
      while (missing-- > 0 && !late) await this.#openIdle(origin, () => late);
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

  async #openIdle(origin: Origin, isLate: () => boolean): Promise<void> {
    const { trust, nowNs } = this.#options;
    const cost = { ...NO_COST };
    try {
      const stream = await openConnection(origin, trust, cost, nowNs);
      if (isLate()) return stream.close();
      const connection = new SocketConnection(stream, this, nowNs, cost);
      this.#origins.set(connection, origin);
      this.#release(origin, connection);
    } catch (error) {
      // The request that needs this connection tries again, and reports the failure.
      if (!(error instanceof ConnectError)) throw error;
    }
  }

  abort(exchange: Exchange): void {
    this.#connecting.delete(exchange);
    this.#pooled.delete(exchange);
    this.#active.get(exchange)?.drain();
    if (exchange.sink instanceof DecodingSink) exchange.sink.cancel();
    const connection = this.#active.get(exchange);
    if (connection !== undefined) this.#forget(connection, exchange);
  }

  close(): void {
    for (const connection of this.#origins.keys()) connection.close();
    this.#origins.clear();
    this.#idle.clear();
    this.#active.clear();
    this.#connecting.clear();
    this.#pooled.clear();
    this.#waiting.length = 0;
  }

  onReply(connection: SocketConnection, exchange: Exchange, reusable: boolean): void {
    this.#active.delete(exchange);
    const origin = exchange.request.origin;
    this.#pooled.delete(exchange);
    if (reusable && this.#options.reuse === "pooled") {
      this.#release(origin, connection);
    } else {
      connection.close();
      this.#origins.delete(connection);
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
    const { trace } = exchange;
    this.#forget(connection, exchange);
    if (this.#pooled.delete(exchange) && kind === "truncated" && connection.replyPending) {
      // The server closed an idle connection just as it was chosen. Nothing of the request was
      // answered, so it goes out once more; that connection is new, so there is no second retry.
      trace.reused = 0;
      trace.retried = 1;
      trace.sendStartNs = NaN;
      trace.sendEndNs = NaN;
      this.#connect(exchange);
      return;
    }
    this.#report(exchange, kind, message, stampNs);
  }

  onIdleEnd(connection: SocketConnection): void {
    const origin = this.#origins.get(connection);
    this.#origins.delete(connection);
    const idle = origin && this.#idle.get(origin);
    const index = idle?.indexOf(connection) ?? -1;
    if (index >= 0) idle?.splice(index, 1);
  }

  #connect(exchange: Exchange): void {
    this.#connecting.add(exchange);
    if (this.#connects < MAX_CONNECTS_UNDER_WAY) this.#open(exchange);
    else this.#waiting.push(exchange);
  }

  async #open(exchange: Exchange): Promise<void> {
    const { trace, request } = exchange;
    const { nowNs, trust } = this.#options;
    this.#connects++;
    trace.blockedNs = nowNs() - trace.startNs;
    try {
      const stream = await openConnection(request.origin, trust, trace, nowNs);
      if (!this.#connecting.delete(exchange)) {
        stream.close(); // abandoned
        return;
      }
      const connection = new SocketConnection(stream, this, nowNs, NO_COST);
      this.#origins.set(connection, request.origin);
      this.#start(connection, exchange);
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      if (this.#connecting.delete(exchange)) {
        this.#report(exchange, error.kind, error.message, nowNs());
      }
    } finally {
      this.#connects--;
      this.#openNext();
    }
  }

  #openNext(): void {
    while (this.#connects < MAX_CONNECTS_UNDER_WAY) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      if (this.#connecting.has(next)) this.#open(next);
    }
  }

  #start(connection: SocketConnection, exchange: Exchange): void {
    this.#active.set(exchange, connection);
    connection.start(exchange, requestBytes(exchange.request));
  }

  #release(origin: Origin, connection: SocketConnection): void {
    const idle = this.#idle.get(origin);
    if (idle === undefined) this.#idle.set(origin, [connection]);
    else idle.push(connection);
  }

  #forget(connection: SocketConnection, exchange: Exchange): void {
    connection.close();
    this.#origins.delete(connection);
    this.#active.delete(exchange);
  }

  #report(exchange: Exchange, kind: TransportErrorKind, message: string, stampNs: number): void {
    exchange.trace.endNs = stampNs;
    exchange.sink.onFailure(kind, message, stampNs);
  }
}
