import type { ResponseHead } from "./response_head.ts";
import {
  emptyTrace,
  type Exchange,
  type Origin,
  type ReplySink,
  type Transport,
  type TransportErrorKind,
} from "./transport.ts";

/** A whole reply. */
export interface GetReply {
  readonly status: number;
  readonly text: string;
}

/** A request that got no complete reply; the message gives the reason in a few words. */
export class NoReplyError extends Error {
  override readonly name = "NoReplyError";
}

/** Settings of {@linkcode getReply}. */
export interface GetReplyOptions {
  /** Lines besides Host, each ended by CR LF. */
  readonly headerLines: string;
  readonly timeoutMs: number;
  /** Most bytes of a body after decompression. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** @default "GET" */
  readonly method?: "GET" | "POST";
  /** @default none */
  readonly body?: Uint8Array;
}

/**
 * Asks a server and waits for the whole reply. Redirects are not followed.
 * @throws {NoReplyError}
 */
export function getReply(
  transport: Transport,
  origin: Origin,
  path: string,
  options: GetReplyOptions,
): Promise<GetReply> {
  const { headerLines, timeoutMs, maxBytes, signal, method = "GET", body } = options;
  if (signal?.aborted) return Promise.reject(new NoReplyError("interrupted"));
  return new Promise((resolve, reject) => {
    const giveUp = (reason: string): void => {
      settle();
      transport.abort(exchange);
      reject(new NoReplyError(reason));
    };
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      sink.isOver = true;
    };
    const timer = setTimeout(() => giveUp("it does not answer"), timeoutMs);
    const onAbort = (): void => giveUp("interrupted");
    signal?.addEventListener("abort", onAbort);
    const sink = new WholeReply(maxBytes, giveUp, (reply) => {
      settle();
      resolve(reply);
    });
    const exchange: Exchange = {
      request: { origin, method, path, headerLines, body: body === undefined ? [] : [body] },
      trace: emptyTrace(),
      sink,
    };
    transport.send(exchange);
  });
}

class WholeReply implements ReplySink {
  readonly #maxBytes: number;
  readonly #giveUp: (reason: string) => void;
  readonly #done: (reply: GetReply) => void;
  readonly #decoder = new TextDecoder();
  #status = 0;
  #text = "";
  #length = 0;
  /** Whether the reply is over and further bytes are ignored. */
  isOver = false;

  constructor(
    maxBytes: number,
    giveUp: (reason: string) => void,
    done: (reply: GetReply) => void,
  ) {
    this.#maxBytes = maxBytes;
    this.#giveUp = giveUp;
    this.#done = done;
  }

  onSent(): void {}

  onHead({ status }: ResponseHead): void {
    this.#status = status;
  }

  onBody(bytes: Uint8Array, start: number, end: number): void {
    if (this.isOver) return;
    this.#length += end - start;
    if (this.#length > this.#maxBytes) this.#giveUp(`it is longer than ${this.#maxBytes} bytes`);
    else this.#text += this.#decoder.decode(bytes.subarray(start, end), { stream: true });
  }

  onEnd(): void {
    if (!this.isOver) this.#done({ status: this.#status, text: this.#text });
  }

  onFailure(_kind: TransportErrorKind, message: string): void {
    if (!this.isOver) this.#giveUp(message);
  }
}
