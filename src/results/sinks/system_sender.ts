import type { SystemPlace } from "../../config/plan/systems_plan.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import type { Redactor } from "../../core/secrets/redactor.ts";
import { printableText } from "../../report/console/printable_text.ts";

/** Longest wait for the reply to one request. */
const REQUEST_MS = 10_000;
/** Most of a reply that is read. */
const MAX_REPLY_BYTES = 1024 * 1024;
/** Most of what a server says of a failure that is told. */
const MAX_REASON_LENGTH = 200;
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** Replies after which the same request may do: too much at once, or nobody there for now. */
const PASSING = new Set([429, 502, 503, 504]);

/** A request that came to nothing; the message says why in a few words. */
export class SendError extends Error {
  override readonly name = "SendError";
  /** Status of the reply; undefined if there was none. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** A request to a system. */
export interface SystemRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  /** Behind the place's own path; with a query, if it has one. */
  readonly path: string;
  readonly contentType?: string;
  /** Makes the body, anew for each attempt. */
  readonly body?: () => BodyInit | Promise<BodyInit>;
  /** Longest wait for its reply. @default REQUEST_MS */
  readonly timeoutMs?: number;
  /** Whether it is sent once only. @default false */
  readonly isSingle?: boolean;
}

/** What a {@linkcode SystemSender} works with. */
export interface SenderOptions {
  readonly place: SystemPlace;
  readonly caCerts: readonly string[];
  /** Takes secrets out of what a server or the runtime says. */
  readonly redact: Redactor;
  /** @default the runtime's */
  readonly fetch?: typeof fetch;
  /** @default a timer */
  readonly pause?: (ms: number) => Promise<void>;
  /** @default performance.now */
  readonly nowMs?: () => number;
}

/**
 * Sends requests to one system, again after a pause where it is busy or away. Redirects are not
 * followed: they could lead elsewhere.
 */
export class SystemSender {
  readonly #options: SenderOptions;
  readonly #fetch: typeof fetch;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #nowMs: () => number;
  readonly #client: Deno.HttpClient | undefined;
  /** What failed last, since the last attempt that succeeded. */
  #failed: SendError | undefined;
  /** When no further attempt is made. */
  deadlineMs = Infinity;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? fetch;
    this.#pause = options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
    this.#nowMs = options.nowMs ?? (() => performance.now());
    if (options.fetch === undefined) {
      this.#client = Deno.createHttpClient({ caCerts: [...options.caCerts] });
    }
  }

  /** Says that everything has to be over by then. */
  limit(timeoutMs: number): void {
    this.deadlineMs = this.#nowMs() + timeoutMs;
  }

  /** Whether there is no time left. */
  get isOver(): boolean {
    return this.#nowMs() >= this.deadlineMs;
  }

  /** Ends its connections. */
  close(): void {
    this.#client?.close();
  }

  /**
   * Sends a request; returns the text of its reply.
   * @throws {SendError} if no attempt was answered with 2xx
   */
  async send(request: SystemRequest): Promise<string> {
    let pauseMs = FIRST_PAUSE_MS;
    for (let attempt = 1;; attempt++) {
      const outcome = await this.#attempt(request);
      if (typeof outcome === "string") {
        this.#failed = undefined;
        return outcome;
      }
      const { isPassing, isCutShort, retryAfterMs } = outcome;
      // An attempt that had hardly any time tells less than the one before it, another request's too.
      if (!isCutShort) this.#failed = outcome.error;
      this.#failed ??= outcome.error;
      const waitMs = retryAfterMs ?? pauseMs * (0.5 + Math.random());
      const isLast = request.isSingle === true || attempt === ATTEMPTS || !isPassing ||
        this.#nowMs() + waitMs >= this.deadlineMs;
      if (isLast) throw this.#failed;
      await this.#pause(waitMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  async #attempt(
    { method, path, contentType, body, timeoutMs = REQUEST_MS }: SystemRequest,
  ): Promise<string | Failure> {
    const leftMs = Math.max(1, Math.min(timeoutMs, this.deadlineMs - this.#nowMs()));
    try {
      const response = await this.#fetch(this.#urlOf(path), {
        method,
        headers: [
          ...this.#options.place.headers.map(([name, value]): [string, string] => [name, value]),
          ["User-Agent", USER_AGENT],
          ["Accept", "application/json"],
          ...contentType === undefined ? [] : [["Content-Type", contentType]] as [string, string][],
        ],
        ...body === undefined ? {} : { body: await body() },
        redirect: "manual",
        signal: AbortSignal.timeout(leftMs),
        ...this.#client === undefined ? {} : { client: this.#client },
      } as RequestInit);
      const text = await beginningOf(response);
      if (response.ok) return text;
      return {
        error: new SendError(this.#statusText(response, text), response.status),
        isPassing: PASSING.has(response.status),
        isCutShort: false,
        retryAfterMs: retryAfter(response.headers.get("retry-after")),
      };
    } catch (error) {
      const reason = reasonOf(error, leftMs);
      return {
        error: new SendError(this.#shown(reason)),
        // A certificate will be no better in some seconds.
        isPassing: !/certificate/i.test(reason),
        isCutShort: isTimeout(error) && leftMs < timeoutMs,
        retryAfterMs: undefined,
      };
    }
  }

  #urlOf(path: string): string {
    const { origin, path: base, query } = this.#options.place;
    const joined = query === "" || !path.includes("?") ? path + query : `${path}&${query.slice(1)}`;
    return `${origin.protocol}//${origin.host}${base}${joined}`;
  }

  #statusText({ status, headers }: Response, text: string): string {
    if (status >= 300 && status < 400) {
      const target = headers.get("location") ?? "nowhere";
      return this.#shown(`HTTP ${status}, a redirect to ${target}, which is not followed`);
    }
    const said = this.#shown(messageOf(text));
    return said === "" ? `HTTP ${status}` : `HTTP ${status}: ${said}`;
  }

  #shown(text: string): string {
    return printableText(this.#options.redact(text), MAX_REASON_LENGTH);
  }
}

interface Failure {
  readonly error: SendError;
  readonly isPassing: boolean;
  /** Whether it ended because everything was to be over. */
  readonly isCutShort: boolean;
  readonly retryAfterMs: number | undefined;
}

async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  for (let length = 0;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    length += value.length;
    if (length > MAX_REPLY_BYTES) {
      await reader.cancel();
      return text;
    }
  }
}

/** What a reply says of its failure: the `message` of a JSON object, or what it is. */
function messageOf(text: string): string {
  try {
    const { message, error } = JSON.parse(text);
    return [message, error?.message, error].find((value) => typeof value === "string") ?? text;
  } catch {
    return /^\s*</.test(text) ? "" : text;
  }
}

/** Seconds, or a date, of `Retry-After`. */
function retryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

function reasonOf(error: unknown, waitedMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (isTimeout(error)) return `no answer within ${(waitedMs / 1000).toFixed(1)} s`;
  const cause = error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : "";
  const text = cause || error.message;
  if (/refused/i.test(text)) return "connection refused";
  return text.replace(/^error sending request.*?\): /, "");
}
