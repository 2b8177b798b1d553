import type { ResponseHead } from "../../src/client/http/response_head.ts";
import type {
  Exchange,
  Origin,
  Transport,
  TransportErrorKind,
} from "../../src/client/http/transport.ts";

const END = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
const encoder = new TextEncoder();

/** A transport without a network: what becomes of each request is said by a test. */
export class ScriptedTransport implements Transport {
  /** Everything that was sent. */
  readonly sent: Exchange[] = [];
  readonly aborted: Exchange[] = [];
  /** Called with the number of each request that is aborted: what was read of it is looked at. */
  onAbort: (number: number) => void = () => {};
  readonly preparations: (readonly [host: string, count: number, timeoutMs: number])[] = [];
  readonly #nowNs: () => number;

  constructor(nowNs: () => number) {
    this.#nowNs = nowNs;
  }

  prepare({ host }: Origin, count: number, timeoutMs: number): Promise<void> {
    this.preparations.push([host, count, timeoutMs]);
    return Promise.resolve();
  }

  send(exchange: Exchange): void {
    exchange.trace.startNs = this.#nowNs();
    this.sent.push(exchange);
  }

  abort(exchange: Exchange): void {
    this.aborted.push(exchange);
    this.onAbort(this.sent.indexOf(exchange));
  }

  close(): void {}

  /** Has a request written and answered by a stream of one token. */
  reply(number: number, text = "token"): void {
    this.answer(number, "text/event-stream", tokenEvent(text) + END);
  }

  /** Has a request written and answered by this body. */
  answer(
    number: number,
    contentType: string,
    text: string,
    status = 200,
    headers: ResponseHead["headers"] = [],
  ): void {
    const { sink, trace } = this.#exchange(number);
    const body = encoder.encode(text);
    sink.onSent();
    const { headers: usual, ...rest } = head(contentType, status);
    trace.lastReadNs = trace.lastBodyNs = this.#nowNs();
    sink.onHead({ ...rest, headers: [...usual, ...headers] }, this.#nowNs());
    sink.onBody(body, 0, body.length, this.#nowNs());
    trace.endNs = this.#nowNs();
    sink.onEnd(this.#nowNs());
  }

  /** Has a request written, and a stream begin with these tokens. */
  begin(number: number, tokens: readonly string[]): void {
    const { sink } = this.#exchange(number);
    sink.onSent();
    sink.onHead(head("text/event-stream", 200), this.#nowNs());
    this.bring(number, tokens.map(tokenEvent).join(""));
  }

  /** Has more of a stream come. */
  bring(number: number, text: string): void {
    const { sink, trace } = this.#exchange(number);
    const body = encoder.encode(text);
    trace.lastReadNs = trace.lastBodyNs = this.#nowNs();
    sink.onBody(body, 0, body.length, this.#nowNs());
  }

  /** Has a request fail. */
  fail(number: number, kind: TransportErrorKind): void {
    this.#exchange(number).sink.onFailure(kind, `${kind} on purpose`, this.#nowNs());
  }

  #exchange(number: number): Exchange {
    const exchange = this.sent[number];
    if (exchange === undefined) throw new RangeError(`Request ${number} was not sent`);
    return exchange;
  }
}

function head(contentType: string, status: number): ResponseHead {
  return { status, reason: "", headers: [["Content-Type", contentType]] };
}

function tokenEvent(content: string): string {
  return `data: ${JSON.stringify({ "choices": [{ "index": 0, "delta": { content } }] })}\n\n`;
}
