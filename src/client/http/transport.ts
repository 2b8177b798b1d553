import type { ReadTurn } from "./read_turn.ts";
import type { ResponseHead } from "./response_head.ts";

/** A server that requests go to. */
export interface Origin {
  /** `http:` or `https:`. */
  readonly protocol: string;
  /** Name or address as the user gave it, IPv6 without brackets; also the name TLS must prove. */
  readonly hostname: string;
  readonly port: number;
  /** IP addresses that `hostname` stood for at the start of the run; tried in this order. */
  readonly addresses: readonly string[];
  /** Value of the Host header. */
  readonly host: string;
}

/** One request, ready to be sent. */
export interface OutgoingRequest {
  readonly origin: Origin;
  readonly method: "POST" | "GET";
  /** Path and query. */
  readonly path: string;
  /** Header lines besides Host and Content-Length, each ended by CR LF. */
  readonly headerLines: string;
  /** Header lines that no other request has; the transport caches the others. */
  readonly ownLines?: string;
  /** The body in pieces, empty for none. */
  readonly body: readonly Uint8Array[];
  /**
   * Object that identifies the request's session, if several requests may share a connection of
   * their own.
   */
  readonly session?: object | undefined;
}

/** Kind of a failure below the level of HTTP. */
export type TransportErrorKind =
  | "connect"
  | "tls"
  | "protocol"
  | "truncated"
  | "connection_closed";

/**
 * Fault that kept a connection from being opened, where the operating system names one that matters
 * to the run: nothing listens, or this process has no free file descriptor.
 */
export type ConnectFault = "refused" | "no_descriptor";

/**
 * When things happened to one request, in nanoseconds of the run's clock; NaN where they did not
 * happen or the transport cannot see them.
 */
export interface TraceMarks {
  /**
   * Just before the first byte is handed over, or before connecting if a connection is needed; for a
   * resent request, the start of its first attempt.
   */
  startNs: number;
  /** Waiting for permission to open a connection. */
  blockedNs: number;
  dnsNs: number;
  /** TCP connect, TLS handshake included. */
  connectingNs: number;
  /** Time of only the TLS handshake in nanoseconds, part of `connectingNs`. */
  tlsNs: number;
  sendStartNs: number;
  sendEndNs: number;
  /**
   * Time at which the call that sends the request returned, which is some event-loop iterations
   * before `sendEndNs`.
   */
  sentSyncNs: number;
  /** The head of the final response was complete. */
  headNs: number;
  firstBodyNs: number;
  lastBodyNs: number;
  /** The reply was complete, or failed. */
  endNs: number;
  /**
   * Time after which the bytes passed to the sink were written, as derived from event-loop
   * iterations; NaN if unknown.
   */
  unreadSinceNs: number;
  /**
   * When the first of the reads returned that may each have left something to read, up to the one that
   * is told to the sink now, which may have been there by then; NaN where that is not known.
   */
  piledSinceNs: number;
  /** When bytes of the reply were last read. */
  lastReadNs: number;
  /** Bytes written and read, headers and framing included, below TLS excluded. */
  bytesSent: number;
  bytesReceived: number;
  /** How often the socket took bytes of the request, and gave some of the reply. */
  writes: number;
  reads: number;
  /**
   * 1 if the connection had carried a request before. The time it took to open a connection is
   * reported by the first request on it, also if it was opened ahead.
   */
  reused: number;
  /** 1 if a pooled connection turned out to be closed and the request was resent on a new one. */
  retried: number;
}

/** Receives one reply. Timestamps are nanoseconds of the run's clock. */
export interface ReplySink {
  /**
   * Whether a caller waits for the next bytes: they are then reported as soon as they are read, not
   * with later ones. @default false
   */
  readonly isAwaited?: boolean;
  /** The request is written. */
  onSent(): void;
  onHead(head: ResponseHead, stampNs: number): void;
  /**
   * Receives a piece of the body, valid only during the call; all events in it share the timestamp.
   */
  onBody(bytes: Uint8Array, start: number, end: number, stampNs: number): void;
  /** The reply is complete: the framing said so. */
  onEnd(stampNs: number): void;
  /** The request failed; nothing else is reported for it. */
  onFailure(
    kind: TransportErrorKind,
    message: string,
    stampNs: number,
    fault?: ConnectFault,
  ): void;
}

/** A request in flight. */
export interface Exchange {
  readonly request: OutgoingRequest;
  readonly trace: TraceMarks;
  /** Receiver of the reply; a transport may put a decoder in between. */
  sink: ReplySink;
}

/** Sends requests and reports their replies. */
export interface Transport {
  /**
   * Opens connections ahead of the first requests, so that there are `count` idle ones to a server.
   * Connections that cannot be opened in time are left to the requests.
   */
  prepare(origin: Origin, count: number, timeoutMs: number): Promise<void>;
  /** Starts a request. Everything about it is reported to the exchange's sink. */
  send(exchange: Exchange): void;
  /** Aborts a request in flight and closes its connection; its sink is not called again. */
  abort(exchange: Exchange): void;
  /** Looks at what was read of replies before a time, and waits for more to be looked at together. */
  lookAtWaiting?(beforeNs: number): void;
  /** Closes the connection that the requests of a session had to themselves, if they had one. */
  endSession?(session: object): void;
  /** Closes all connections. */
  close(): void;
}

/** With what this side proves itself, if a server asks for it. */
export interface ClientCertificate {
  /** The certificate and those of its issuers, as PEM. */
  readonly cert: string;
  /** Private key as PEM. */
  readonly key: string;
}

/** Certificates that a server may use in addition to those built into the runtime. */
export interface TlsTrust {
  /** PEM texts from `--ca-cert`. */
  readonly caCerts: readonly string[];
  /** PEM texts of the operating system's store, tried when the others do not know the issuer. */
  readonly systemCerts: readonly string[];
  /** From `--client-cert` and `--client-key`. */
  readonly clientCert?: ClientCertificate | undefined;
}

/** Sharing of connections between requests. */
export type ConnectionReuse = "pooled" | "never" | "sticky-user-sessions";

/**
 * Requests to resend when their reused connection closes before any byte of the reply: those whose
 * server need not have seen them, or none.
 */
export type RetryRule = "strict" | "never";

/** Options that every transport takes. */
export interface TransportOptions {
  readonly reuse: ConnectionReuse;
  /** @default "strict" */
  readonly retries?: RetryRule | undefined;
  readonly trust: TlsTrust;
  /** The run's clock, in nanoseconds. */
  readonly nowNs: () => number;
  /**
   * Called between what was read and the looks at it, for what has no time to wait for all of that.
   * A transport that does not read itself never calls it.
   */
  readonly betweenReads?: () => void;
  /** Read iterations that the transports of this thread share. @default a separate one */
  readonly turn?: ReadTurn | undefined;
}

/** Marks of a request that has not started. */
export function emptyTrace(): TraceMarks {
  return {
    startNs: NaN,
    blockedNs: NaN,
    dnsNs: NaN,
    connectingNs: NaN,
    tlsNs: NaN,
    sendStartNs: NaN,
    sendEndNs: NaN,
    sentSyncNs: NaN,
    headNs: NaN,
    firstBodyNs: NaN,
    lastBodyNs: NaN,
    endNs: NaN,
    unreadSinceNs: NaN,
    piledSinceNs: NaN,
    lastReadNs: NaN,
    bytesSent: 0,
    bytesReceived: 0,
    writes: 0,
    reads: 0,
    reused: 0,
    retried: 0,
  };
}
