/**
 * Requests over the runtime's own `fetch`: slower and blind to the phases of a request, but it
 * speaks HTTP/2 and honours the proxies of the environment.
 */

import { isCloseRace } from "./close_race.ts";
import { contentEncodingOf, DecodingSink } from "./decoding_sink.ts";
import { fetchFailure } from "./fetch_failure.ts";
import { joinBytes } from "./join_bytes.ts";
import type { Exchange, Origin, Transport, TransportOptions } from "./transport.ts";

/** Sends requests by `fetch`. */
export class FetchTransport implements Transport {
  readonly #options: TransportOptions;
  readonly #client: Deno.HttpClient;
  readonly #underWay = new Map<Exchange, AbortController>();
  /** Estimated connections to each server that earlier requests have left open. */
  readonly #idle = new Map<Origin, number>();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#client = Deno.createHttpClient({
      caCerts: [...options.trust.caCerts, ...options.trust.systemCerts],
      ...options.trust.clientCert,
      // Idle connections kept per host: none unless they are to be reused.
      poolMaxIdlePerHost: options.reuse === "pooled" ? 65_536 : 0,
    });
  }

  /** `fetch` opens connections when it needs them. */
  async prepare(): Promise<void> {}

  send(exchange: Exchange): void {
    const controller = new AbortController();
    this.#underWay.set(exchange, controller);
    this.#run(exchange, controller);
  }

  abort(exchange: Exchange): void {
    const controller = this.#underWay.get(exchange);
    this.#underWay.delete(exchange);
    if (exchange.sink instanceof DecodingSink) exchange.sink.cancel();
    controller?.abort();
  }

  close(): void {
    for (const exchange of [...this.#underWay.keys()]) this.abort(exchange);
    this.#client.close();
  }

  async #run(exchange: Exchange, controller: AbortController): Promise<void> {
    const { trace, request } = exchange;
    const { nowNs } = this.#options;
    let headSeen = false;
    trace.startNs = nowNs();
    try {
      const response = await this.#ask(exchange, controller.signal);
      headSeen = true;
      // `fetch` does not report it earlier.
      exchange.sink.onSent();
      trace.headNs = nowNs();
      trace.lastReadNs = trace.headNs;
      const { status, statusText: reason } = response;
      const head = { status, reason, headers: [...response.headers] };
      // `fetch` leaves a coding alone when the request names the codings it takes, as ours do.
      const encoding = contentEncodingOf(head);
      if (encoding !== undefined) exchange.sink = new DecodingSink(exchange.sink, encoding);
      exchange.sink.onHead(head, trace.headNs);
      if (response.body !== null) await this.#readBody(exchange, response.body);
      if (!this.#underWay.delete(exchange)) return;
      this.#addIdle(request.origin, 1);
      trace.endNs = nowNs();
      exchange.sink.onEnd(trace.endNs);
    } catch (error) {
      if (!this.#underWay.delete(exchange)) return; // aborted
      trace.endNs = nowNs();
      const { kind, message, fault } = fetchFailure(error, headSeen);
      exchange.sink.onFailure(kind, message, trace.endNs, fault);
    }
  }

  /**
   * Sends a request, and once more if the server closed the connection that an earlier request had
   * left open just as this one was sent. The runtime does not expose when the request was written, nor
   * how long connecting took: the time runs from the call. Newer runtimes resend once by themselves,
   * however late the close, and report nothing about it.
   */
  async #ask(exchange: Exchange, signal: AbortSignal): Promise<Response> {
    const { request, trace } = exchange;
    const init = {
      method: request.method,
      headers: headersOf(request.headerLines + (request.ownLines ?? "")),
      ...(request.method === "POST" ? { body: joinBytes(request.body) } : {}),
      redirect: "manual",
      signal,
      client: this.#client,
    } as const;
    const pooled = this.#options.reuse === "pooled" && (this.#idle.get(request.origin) ?? 0) > 0;
    this.#addIdle(request.origin, -1);
    try {
      return await fetch(urlOf(exchange), init);
    } catch (error) {
      const isClosed = fetchFailure(error, false).kind === "connection_closed";
      if (!pooled || !isClosed || !this.#isResent(trace.startNs)) throw error;
      trace.retried = 1;
      return await fetch(urlOf(exchange), init);
    }
  }

  /** Whether a request whose connection has just closed before any byte of the reply is resent. */
  #isResent(startNs: number): boolean {
    const { nowNs, retries } = this.#options;
    const sent = { sendStartNs: startNs, sendEndNs: startNs };
    return retries !== "never" && isCloseRace(sent, nowNs(), 0);
  }

  #addIdle(origin: Origin, change: 1 | -1): void {
    this.#idle.set(origin, Math.max(0, (this.#idle.get(origin) ?? 0) + change));
  }

  async #readBody(exchange: Exchange, body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    const { trace } = exchange;
    for (;;) {
      const { done, value } = await reader.read();
      if (done || !this.#underWay.has(exchange)) return;
      const stampNs = this.#options.nowNs();
      if (Number.isNaN(trace.firstBodyNs)) trace.firstBodyNs = stampNs;
      trace.lastBodyNs = stampNs;
      trace.lastReadNs = stampNs;
      exchange.sink.onBody(value, 0, value.length, stampNs);
    }
  }
}

function urlOf(exchange: Exchange): string {
  const { origin, path } = exchange.request;
  return `${origin.protocol}//${origin.host}${path}`;
}

function headersOf(lines: string): [string, string][] {
  return lines.split("\r\n").filter((line) => line !== "").map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
}
