import type { ResponseHead } from "../http/response_parser.ts";
import {
  emptyTrace,
  type Exchange,
  type ReplySink,
  type Transport,
  type TransportErrorKind,
} from "../http/transport.ts";
import type { MetricsEndpoint } from "./metrics_endpoint.ts";

/** A page as it came over the wire. Times are nanoseconds of the run's clock. */
export interface FetchedPage {
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly sentNs: number;
  readonly firstByteNs: number;
  readonly endNs: number;
}

/** A scrape that gave no page. */
export class ScrapeError extends Error {
  override readonly name = "ScrapeError";
}

/**
 * What is asked for. Naming OpenMetrics here would make Python's client library rename metrics such
 * as `vllm:x`.
 */
const ACCEPT = "text/plain;version=0.0.4, */*;q=0.1";

/** Longest part of a URL that a message quotes. */
const MAX_SHOWN = 200;

/** How a page is fetched. */
export interface FetchPageOptions {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

/**
 * Fetches a metrics page. Redirects are not followed.
 * @throws {ScrapeError} saying in a few words what went wrong
 */
export function fetchPage(
  transport: Transport,
  endpoint: MetricsEndpoint,
  options: FetchPageOptions,
): Promise<FetchedPage> {
  return new Promise((resolve, reject) => {
    const sink = new PageSink(options.maxBytes, (page, failure) => {
      clearTimeout(timer);
      options.signal.removeEventListener("abort", onAbort);
      // Whatever is still to come is not wanted.
      if (page === undefined || isJson(page.contentType)) transport.abort(exchange);
      if (page === undefined) reject(new ScrapeError(failure));
      else resolve({ ...page, sentNs: exchange.trace.startNs });
    });
    const timer = setTimeout(
      () => sink.fail(`no answer within ${options.timeoutMs / 1000} s`),
      options.timeoutMs,
    );
    const onAbort = () => sink.fail("interrupted");
    options.signal.addEventListener("abort", onAbort);
    const { authorization, origin, path } = endpoint;
    const exchange: Exchange = {
      request: {
        origin,
        method: "GET",
        path,
        headerLines: `Accept: ${ACCEPT}\r\nAccept-Encoding: identity\r\n` +
          `User-Agent: ${options.userAgent}\r\n` +
          (authorization === undefined ? "" : `Authorization: ${authorization}\r\n`),
        body: [],
      },
      trace: emptyTrace(),
      sink,
    };
    transport.send(exchange);
  });
}

class PageSink implements ReplySink {
  readonly #maxBytes: number;
  #done: ((page: Omit<FetchedPage, "sentNs"> | undefined, failure: string) => void) | undefined;
  #contentType = "";
  #pieces: Uint8Array[] = [];
  #length = 0;
  #firstByteNs = NaN;

  constructor(
    maxBytes: number,
    done: (page: Omit<FetchedPage, "sentNs"> | undefined, failure: string) => void,
  ) {
    this.#maxBytes = maxBytes;
    this.#done = done;
  }

  onSent(): void {}

  onHead({ status, headers }: ResponseHead, stampNs: number): void {
    const header = (wanted: string) => headers.find(([name]) => name === wanted)?.[1];
    const location = header("location");
    if (status !== 200) {
      this.fail(
        location === undefined
          ? `HTTP ${status}`
          : `HTTP ${status} to ${withoutSecrets(location)}, redirects are not followed`,
      );
      return;
    }
    this.#contentType = header("content-type") ?? "";
    this.#firstByteNs = stampNs;
    // Refusing a page of another kind is cheaper than reading it.
    if (isJson(this.#contentType)) this.#finish(stampNs);
  }

  onBody(bytes: Uint8Array, start: number, end: number, stampNs: number): void {
    if (this.#done === undefined) return;
    if (this.#length === 0) this.#firstByteNs = stampNs;
    this.#length += end - start;
    if (this.#length > this.#maxBytes) {
      this.#pieces = [];
      this.fail(`page is longer than ${this.#maxBytes} bytes`);
      return;
    }
    this.#pieces.push(bytes.slice(start, end));
  }

  onEnd(stampNs: number): void {
    this.#finish(stampNs);
  }

  onFailure(kind: TransportErrorKind, message: string): void {
    this.fail(`${kind}: ${message}`);
  }

  /** Ends the scrape, unless it has ended. */
  fail(reason: string): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(undefined, reason);
  }

  #finish(endNs: number): void {
    const done = this.#done;
    this.#done = undefined;
    if (done === undefined) return;
    const body = new Uint8Array(this.#length);
    let offset = 0;
    for (const piece of this.#pieces) {
      body.set(piece, offset);
      offset += piece.length;
    }
    done({ contentType: this.#contentType, body, firstByteNs: this.#firstByteNs, endNs }, "");
  }
}

/** Whether a content type says JSON: no metrics page, whatever it holds. */
export function isJson(contentType: string): boolean {
  return contentType.trim().toLowerCase().startsWith("application/json");
}

/** Where a redirect leads, without user, password and query. */
function withoutSecrets(location: string): string {
  return location.replace(/\?.*$/s, "").replace(/\/\/[^/@]*@/, "//").slice(0, MAX_SHOWN);
}
