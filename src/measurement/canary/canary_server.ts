/**
 * The end of the canary connections that writes. Any program of this machine can connect to a
 * loopback port: who does not know the run's token is turned away, and never more is read than a
 * request needs.
 */

import { pause, SYSTEM_TIMERS } from "../../core/thread/timers.ts";
import { CANARY_KIND } from "./canary_kind.ts";
import { CANARY_HEAD, canaryChunk, canaryReply } from "./canary_message.ts";

/** Connections of a worker: canaries take turns on them, as chunks do on many streams. */
export const CANARY_CONNECTIONS = 4;
/**
 * Connections of a worker that requests each canary: this thread polls for requests now and then.
 */
export const ASKING_CONNECTIONS = 8;
const MAX_REQUEST_BYTES = 4096;
/** Strangers beyond this many are turned away at once; all load workers may connect together. */
const MAX_STRANGERS = 64;
/**
 * Delay in milliseconds after which acknowledgements are immediate. The operating system holds a
 * small message back until the previous one is acknowledged, unless TCP_NODELAY is set, which the
 * runtime cannot do on a TLS connection. A client that has just sent a message delays its
 * acknowledgement by 40 ms; later, it acknowledges as soon as a message is read.
 */
const ACKNOWLEDGED_MS = 50;
const decoder = new TextDecoder();

/** The part of a connection that is used here. */
export interface CanaryConnection {
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  /** Not on a TLS connection. */
  setNoDelay?(noDelay: boolean): void;
  close(): void;
}

/**
 * Canaries that a worker requests one by one, rather than reads on a stream: those for first
 * chunks, or all.
 */
export type AskedCanaries = "first" | "any";

/** Request of a load worker. */
interface Order {
  readonly worker: number;
  /** Undefined for a stream of canaries. */
  readonly asked: AskedCanaries | undefined;
}

type WaitingConnections = Readonly<Record<AskedCanaries, CanaryConnection[]>>;

/** A connection of a load worker. */
interface OpenConnection {
  readonly connection: CanaryConnection;
  /** From when on what is written goes out at once, by this thread's clock. */
  readonly readyMs: number;
}

/** Accepts the load workers and writes canaries to them. */
export class CanaryServer {
  readonly #token: string;
  readonly #connections: OpenConnection[][];
  /** Connections of each worker that wait for a canary that they asked for. */
  readonly #asking: WaitingConnections[];
  readonly #next: number[];
  readonly #isAsked: boolean;
  readonly #maxPending: number;
  readonly #ready = Promise.withResolvers<void>();
  #pending = 0;

  /**
   * @param token path that the load workers ask for, followed by their number
   * @param isAsked whether they ask for canaries one by one, besides those that they read on streams
   */
  constructor(workers: number, token: string, isAsked = false) {
    this.#token = token;
    this.#isAsked = isAsked;
    this.#connections = Array.from({ length: workers }, () => []);
    this.#asking = Array.from({ length: workers }, () => ({ first: [], any: [] }));
    this.#next = new Array(workers).fill(0);
    const perWorker = CANARY_CONNECTIONS + (isAsked ? ASKING_CONNECTIONS : 0);
    this.#maxPending = MAX_STRANGERS + workers * perWorker;
  }

  /** Whether every worker has its connections. */
  get isComplete(): boolean {
    return this.#connections.every(({ length }) => length >= CANARY_CONNECTIONS);
  }

  /** Settles once every worker has had its connections, and what is written to them goes out at once. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Accepts connections until the listener is closed. */
  async accept(listener: AsyncIterable<CanaryConnection>): Promise<void> {
    for await (const connection of listener) {
      if (this.#pending < this.#maxPending) this.serve(connection);
      else close(connection);
    }
  }

  /** Serves a connection until its end. */
  async serve(connection: CanaryConnection): Promise<void> {
    this.#pending++;
    const order = await this.#orderOf(connection);
    this.#pending--;
    try {
      if (order?.asked !== undefined) await this.#answer(connection, order);
      else if (order !== undefined) await this.#stream(connection, order.worker);
    } catch {
      // It is gone.
    }
    close(connection);
  }

  /** Has canaries written to a connection until its worker closes it. */
  async #stream(connection: CanaryConnection, worker: number): Promise<void> {
    const connections = this.#connections[worker] as OpenConnection[];
    const waitMs = connection.setNoDelay === undefined ? ACKNOWLEDGED_MS : 0;
    const open: OpenConnection = { connection, readyMs: performance.now() + waitMs };
    try {
      connection.setNoDelay?.(true);
      await connection.write(CANARY_HEAD);
      connections.push(open);
      if (waitMs === 0) this.#lookWhetherReady();
      else void pause(SYSTEM_TIMERS, waitMs).then(() => this.#lookWhetherReady());
      // A worker says nothing more; this ends when it closes.
      await connection.read(new Uint8Array(1));
    } finally {
      remove(connections, open);
    }
  }

  /** Has a canary written to a connection whenever it asks for one, until its worker closes it. */
  async #answer(connection: CanaryConnection, first: Order): Promise<void> {
    connection.setNoDelay?.(true);
    let order: Order | undefined = first;
    while (order?.asked !== undefined) {
      const waiting: CanaryConnection[] = this.#waitingOf(order.worker)[order.asked];
      waiting.push(connection);
      this.#lookWhetherReady();
      order = await this.#orderOf(connection);
      remove(waiting, connection);
    }
  }

  /**
   * Writes a canary to a worker: on a connection that asks for it, or on its next stream. The runtime
   * hands the bytes to the operating system before the call returns; the time is taken just before.
   */
  write(worker: number, kind: number, intendedNs: number, nowNs: () => number): void {
    const { any, first } = this.#waitingOf(worker);
    const asking = any.shift() ?? (kind === CANARY_KIND.first ? first.shift() : undefined);
    if (asking !== undefined) {
      asking.write(canaryReply(kind, intendedNs, nowNs)).catch(() => close(asking));
      return;
    }
    const connections = this.#connections[worker] as OpenConnection[];
    const nowMs = performance.now();
    const ready = connections.filter(({ readyMs }) => readyMs <= nowMs);
    if (ready.length === 0) return;
    const number = (this.#next[worker] as number) % ready.length;
    this.#next[worker] = number + 1;
    const { connection } = ready[number] as OpenConnection;
    connection.write(canaryChunk(kind, intendedNs, nowNs)).catch(() => close(connection));
  }

  #lookWhetherReady(): void {
    const expected = this.#isAsked ? ASKING_CONNECTIONS : 0;
    const areAsking = this.#asking.every(({ any, first }) => any.length + first.length >= expected);
    if (areAsking && this.isComplete) this.#ready.resolve();
  }

  #waitingOf(worker: number): WaitingConnections {
    return this.#asking[worker] as WaitingConnections;
  }

  /** Closes every connection. */
  close(): void {
    for (const { connection } of this.#connections.flat()) close(connection);
    for (const { any, first } of this.#asking) [...any, ...first].forEach(close);
  }

  /**
   * Returns the order in the next request; undefined if it is not a worker's request, or none
   * comes.
   */
  async #orderOf(connection: CanaryConnection): Promise<Order | undefined> {
    const buffer = new Uint8Array(MAX_REQUEST_BYTES);
    let length = 0;
    try {
      while (length < MAX_REQUEST_BYTES) {
        const count = await connection.read(buffer.subarray(length));
        if (count === null) return undefined;
        length += count;
        const text = decoder.decode(buffer.subarray(0, length));
        if (text.includes("\r\n\r\n")) return this.#parse(text.split(" ", 2)[1] ?? "");
      }
    } catch {
      // Whoever it was has gone.
    }
    return undefined;
  }

  #parse(path: string): Order | undefined {
    const prefix = `${this.#token}/`;
    if (!path.startsWith(prefix)) return undefined;
    const [name, asked] = path.slice(prefix.length).split("/", 2);
    const worker = Number(name);
    if (this.#connections[worker] === undefined) return undefined;
    if (asked === undefined) return { worker, asked };
    return asked === "first" || asked === "any" ? { worker, asked } : undefined;
  }
}

function remove<T>(from: T[], value: T): void {
  const at = from.indexOf(value);
  if (at >= 0) from.splice(at, 1);
}

function close(connection: CanaryConnection): void {
  try {
    connection.close();
  } catch {
    // It was closed already.
  }
}
