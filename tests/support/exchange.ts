import {
  emptyTrace,
  type Exchange,
  type Origin,
  type ReplySink,
  type TraceMarks,
  type Transport,
  type TransportErrorKind,
  type TransportOptions,
} from "../../src/client/http/transport.ts";

/** What became of a request. */
export interface ExchangeResult {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly failure: { readonly kind: TransportErrorKind; readonly message: string } | undefined;
  readonly trace: TraceMarks;
  readonly sent: boolean;
}

/** The origin of a server on this machine. */
export function localOrigin(port: number, hostname = "127.0.0.1"): Origin {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return {
    protocol: "http:",
    hostname,
    port,
    addresses: /^[\d.]+$|:/.test(hostname) ? [hostname] : [],
    host: `${host}:${port}`,
  };
}

/** Options of a transport for tests. */
export function transportOptions(options: Partial<TransportOptions> = {}): TransportOptions {
  return {
    reuse: "pooled",
    trust: { caCerts: [], systemCerts: [] },
    nowNs: () => Math.round(performance.now() * 1e6),
    ...options,
  };
}

/** A request that can be sent, and promises of when it is written and what becomes of it. */
export function exchangeWith(origin: Origin, path = "/", body = "{}"): {
  readonly exchange: Exchange;
  readonly written: Promise<void>;
  readonly result: Promise<ExchangeResult>;
} {
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  let finish: (result: ExchangeResult) => void;
  const result = new Promise<ExchangeResult>((resolve) => {
    finish = resolve;
  });
  const trace = emptyTrace();
  const decoder = new TextDecoder();
  let status = 0;
  let headers: ExchangeResult["headers"] = [];
  let text = "";
  let sent = false;
  const done = (failure: ExchangeResult["failure"]) =>
    finish({ status, headers, body: text + decoder.decode(), failure, trace, sent });
  const sink: ReplySink = {
    onSent() {
      sent = true;
      write();
    },
    onHead(head) {
      status = head.status;
      headers = head.headers;
    },
    onBody(bytes, start, end) {
      text += decoder.decode(bytes.subarray(start, end), { stream: true });
    },
    onEnd: () => done(undefined),
    onFailure: (kind, message) => done({ kind, message }),
  };
  const request = {
    origin,
    method: "POST" as const,
    path,
    headerLines: "Content-Type: application/json\r\nAccept-Encoding: identity\r\n",
    body: [new TextEncoder().encode(body)],
  };
  return { exchange: { request, trace, sink }, written, result };
}

/** Sends a request and waits for what becomes of it. */
export async function send(
  transport: Transport,
  origin: Origin,
  path = "/",
  body = "{}",
): Promise<ExchangeResult> {
  const { exchange, result } = exchangeWith(origin, path, body);
  transport.send(exchange);
  return await result;
}
