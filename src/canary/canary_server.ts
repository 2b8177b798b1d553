/**
 * The end of the canary connections that writes. Any program of this machine can connect to a
 * loopback port: who does not know the run's token is turned away, and never more is read than a
 * request needs.
 */

import { CANARY_HEAD, canaryChunk } from "./canary_message.ts";

/** Connections of a worker: canaries take turns on them, as chunks do on many streams. */
export const CANARY_CONNECTIONS = 4;
const MAX_REQUEST_BYTES = 4096;
/** Strangers beyond this many are turned away at once; all load workers may connect together. */
const MAX_STRANGERS = 64;
/**
 * The operating system holds a small message back until the last one is acknowledged, unless it is told
 * not to, which the runtime has no way to do on a TLS connection. Whoever has just asked something waits
 * 40 ms with that; later, it is done as soon as a message is read.
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
  readonly #next: number[];
  readonly #maxPending: number;
  #pending = 0;

  /** @param token path that the load workers ask for, followed by their number */
  constructor(workers: number, token: string) {
    this.#token = token;
    this.#connections = Array.from({ length: workers }, () => []);
    this.#next = new Array(workers).fill(0);
    this.#maxPending = MAX_STRANGERS + workers * CANARY_CONNECTIONS;
  }

  /** Whether every worker has its connections. */
  get isComplete(): boolean {
    return this.#connections.every(({ length }) => length >= CANARY_CONNECTIONS);
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
    let worker: number | undefined;
    this.#pending++;
    try {
      worker = await this.#workerOf(connection);
    } catch {
      // Whoever it was has gone.
    } finally {
      this.#pending--;
    }
    const connections = worker === undefined ? undefined : this.#connections[worker];
    if (connections === undefined) return close(connection);
    const waitMs = connection.setNoDelay === undefined ? ACKNOWLEDGED_MS : 0;
    const open: OpenConnection = { connection, readyMs: performance.now() + waitMs };
    try {
      connection.setNoDelay?.(true);
      await connection.write(CANARY_HEAD);
      connections.push(open);
      // A worker says nothing more; this ends when it closes.
      await connection.read(new Uint8Array(1));
    } catch {
      // It is gone.
    }
    const at = connections.indexOf(open);
    if (at >= 0) connections.splice(at, 1);
    close(connection);
  }

  /**
   * Writes a canary on a worker's next connection. The runtime hands the bytes to the operating
   * system before the call returns; the time is taken just before.
   */
  write(worker: number, kind: number, intendedNs: number, nowNs: () => number): void {
    const connections = this.#connections[worker] as OpenConnection[];
    const nowMs = performance.now();
    const ready = connections.filter(({ readyMs }) => readyMs <= nowMs);
    if (ready.length === 0) return;
    const number = (this.#next[worker] as number) % ready.length;
    this.#next[worker] = number + 1;
    const { connection } = ready[number] as OpenConnection;
    connection.write(canaryChunk(kind, intendedNs, nowNs)).catch(() => close(connection));
  }

  /** Closes every connection. */
  close(): void {
    for (const { connection } of this.#connections.flat()) close(connection);
  }

  /** The worker that a request names; undefined if it is no request of a worker. */
  async #workerOf(connection: CanaryConnection): Promise<number | undefined> {
    const buffer = new Uint8Array(MAX_REQUEST_BYTES);
    let length = 0;
    while (length < MAX_REQUEST_BYTES) {
      const count = await connection.read(buffer.subarray(length));
      if (count === null) return undefined;
      length += count;
      const text = decoder.decode(buffer.subarray(0, length));
      if (!text.includes("\r\n\r\n")) continue;
      const [, path] = text.split(" ", 2);
      const prefix = `${this.#token}/`;
      return path?.startsWith(prefix) ? Number(path.slice(prefix.length)) : undefined;
    }
    return undefined;
  }
}

function close(connection: CanaryConnection): void {
  try {
    connection.close();
  } catch {
    // It was closed already.
  }
}
