import type { ResponseHead } from "../../client/http/response_head.ts";
import {
  emptyTrace,
  type Exchange,
  type ReplySink,
  type Transport,
  type TransportErrorKind,
} from "../../client/http/transport.ts";
import type { Timers } from "../../core/thread/timers.ts";
import { headerLinesOf, type MetricsEndpoint } from "./metrics_endpoint.ts";
import type { PageBuffer } from "./page_buffer.ts";

/** A page as it came over the wire. Times are nanoseconds of the run's clock. */
export interface FetchedPage {
  readonly contentType: string;
  /** Valid until the next page is fetched with the same buffer. */
  readonly body: Uint8Array;
  readonly sentNs: number;
  readonly firstByteNs: number;
  readonly endNs: number;
}

/** Details of a scrape that gave no page. */
export interface ScrapeErrorDetails {
  /** The HTTP status that it ended with, if it was that. */
  readonly status?: number;
  /** Whether there was no answer in time. */
  readonly isTimeout?: boolean;
}

/** A scrape that gave no page. */
export class ScrapeError extends Error {
  override readonly name = "ScrapeError";
  readonly details: ScrapeErrorDetails;

  constructor(message: string, details: ScrapeErrorDetails = {}) {
    super(message);
    this.details = details;
  }
}

/**
 * The accepted formats. Naming OpenMetrics here would make Python's client library rename metrics such
 * as `vllm:x`.
 */
const ACCEPT = "text/plain;version=0.0.4, */*;q=0.1";

/** Longest part of a header that a message quotes. */
const MAX_SHOWN = 200;
/** A timer that comes later has waited for the thread. */
const MAX_TIMER_DELAY_MS = 10;

/** The reason why a scrape that was given up failed. */
export const INTERRUPTED = "interrupted";

/** Settings of {@linkcode fetchPage}. */
export interface FetchPageOptions {
  readonly timeoutMs: number;
  /** Buffer of the page; its size is the limit of a page. */
  readonly buffer: PageBuffer;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  readonly timers: Pick<Timers, "once">;
  /** Clock of the timers, in nanoseconds. */
  nowNs(): number;
}

/**
 * Scrapes a metrics endpoint. Redirects are not followed.
 * @throws {ScrapeError} with the cause in a few words
 */
export function fetchPage(
  transport: Transport,
  endpoint: MetricsEndpoint,
  options: FetchPageOptions,
): Promise<FetchedPage> {
  return new Promise((resolve, reject) => {
    if (options.signal.aborted) throw new ScrapeError(INTERRUPTED);
    const sink = new PageSink(options.buffer, (page, failure) => {
      stopTimer();
      options.signal.removeEventListener("abort", onAbort);
      // Whatever is still to come is not wanted.
      if (page === undefined || isJson(page.contentType)) transport.abort(exchange);
      if (page === undefined) reject(failure);
      else resolve({ ...page, sentNs: exchange.trace.startNs });
    });
    const { timeoutMs } = options;
    const stopTimer = callAfter(
      timeoutMs,
      () => sink.fail(`no answer within ${timeoutMs / 1000} s`, { isTimeout: true }),
      options,
    );
    const onAbort = () => sink.fail(INTERRUPTED);
    options.signal.addEventListener("abort", onAbort);
    const { origin, path } = endpoint;
    const exchange: Exchange = {
      request: {
        origin,
        method: "GET",
        path,
        headerLines: `Accept: ${ACCEPT}\r\nAccept-Encoding: identity\r\n` +
          `User-Agent: ${options.userAgent}\r\n${headerLinesOf(endpoint)}`,
        body: [],
      },
      trace: emptyTrace(),
      sink,
    };
    transport.send(exchange);
  });
}

/**
 * Calls back after a time in which this thread could listen. While it reads a large page it cannot,
 * and that is not the fault of the other endpoints: what the timer was late by is waited for again,
 * up to the same time once more.
 * @returns what stops it
 */
function callAfter(
  delayMs: number,
  callback: () => void,
  { timers, nowNs }: Pick<FetchPageOptions, "timers" | "nowNs">,
): () => void {
  let callOff: () => void;
  let extraMs = 0;
  const waitFor = (waitMs: number): void => {
    const setNs = nowNs();
    callOff = timers.once(waitMs, () => {
      const lateMs = (nowNs() - setNs) / 1e6 - waitMs;
      const grantedMs = Math.min(lateMs, delayMs - extraMs);
      extraMs += grantedMs;
      if (grantedMs > MAX_TIMER_DELAY_MS) waitFor(grantedMs);
      else callback();
    });
  };
  waitFor(delayMs);
  return () => callOff();
}

type Done = (page: Omit<FetchedPage, "sentNs"> | undefined, failure?: ScrapeError) => void;

class PageSink implements ReplySink {
  readonly #buffer: PageBuffer;
  #done: Done | undefined;
  #contentType = "";
  #firstByteNs = NaN;

  constructor(buffer: PageBuffer, done: Done) {
    this.#buffer = buffer;
    this.#done = done;
    buffer.clear();
  }

  onSent(): void {}

  onHead({ status, headers }: ResponseHead, stampNs: number): void {
    const header = (wanted: string) => headers.find(([name]) => name === wanted)?.[1];
    const location = header("location");
    if (status !== 200) {
      const target = location === undefined
        ? ""
        : ` to ${withoutSecrets(location)}, redirects are not followed`;
      this.fail(`HTTP ${status}${target}`, { status });
      return;
    }
    this.#contentType = header("content-type") ?? "";
    this.#firstByteNs = stampNs;
    // Refusing a page of another kind is cheaper than reading it.
    if (isJson(this.#contentType)) this.#finish(stampNs);
  }

  onBody(bytes: Uint8Array, start: number, end: number, stampNs: number): void {
    if (this.#done === undefined) return;
    if (this.#buffer.length === 0) this.#firstByteNs = stampNs;
    if (!this.#buffer.append(bytes, start, end)) {
      this.fail(`page is longer than ${this.#buffer.maxBytes} bytes`);
    }
  }

  onEnd(stampNs: number): void {
    this.#finish(stampNs);
  }

  onFailure(kind: TransportErrorKind, message: string): void {
    this.fail(`${kind}: ${message}`);
  }

  /** Ends the scrape, unless it has ended. */
  fail(reason: string, details: ScrapeErrorDetails = {}): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(undefined, new ScrapeError(reason, details));
  }

  #finish(endNs: number): void {
    const done = this.#done;
    this.#done = undefined;
    const body = this.#buffer.view;
    done?.({ contentType: this.#contentType, body, firstByteNs: this.#firstByteNs, endNs });
  }
}

/** Whether a content type is JSON, which is never a metrics response. */
export function isJson(contentType: string): boolean {
  return contentType.trim().toLowerCase().startsWith("application/json");
}

/** Target of a redirect, without user, password and query. */
function withoutSecrets(location: string): string {
  return printableHeader(location.replace(/\?.*$/s, "").replace(/\/\/[^/@]*@/, "//"));
}

/** A header's value as a message may quote it: it could steer a terminal. */
export function printableHeader(value: string): string {
  // deno-lint-ignore no-control-regex
  return value.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").slice(0, MAX_SHOWN);
}
