/**
 * After several replies in a row whose connection the server closed, connections to it are not used
 * again. Between two of them none was: one on which a second reply came says the opposite.
 */
const CLOSED_IN_ROW = 2;
/**
 * A server that closes a connection after each reply does so at once; one that closes it later does
 * not keep idle connections for long, which is another matter.
 */
const LINGER_NS = 1e9;

/** Properties of a connection that the pool uses. */
interface Connection {
  /** Whether a request was sent on it before. */
  readonly used: boolean;
}

/** A connection without a request. */
export interface IdleConnection<C extends Connection> {
  readonly connection: C;
  /** When it was opened, or its last reply ended. */
  readonly sinceNs: number;
}

/**
 * The idle connections to one server, and what is learned of how it keeps them.
 *
 * Some servers close the connection after each streamed reply without saying so (llama.cpp does). A
 * request that is sent in the same moment is lost and must be resent.
 */
export class OriginPool<C extends Connection> {
  readonly #idle: IdleConnection<C>[] = [];
  #closedInRow = 0;
  /** Requests in flight. */
  active = 0;

  /** Idle connections. */
  get size(): number {
    return this.#idle.length;
  }

  /**
   * Whether a connection should be opened for the next request, which will not find one that it could
   * use again. One is enough: servers that give each connection a thread have few of them.
   */
  get needsSpare(): boolean {
    return this.#closesConnections && !this.#idle.some(({ connection }) => !connection.used);
  }

  add(connection: C, nowNs: number): void {
    this.#idle.push({ connection, sinceNs: nowNs });
  }

  /** Takes a connection out that a request can be sent on. */
  take(nowNs: number): IdleConnection<C> | undefined {
    if (!this.#closesConnections) return this.#idle.pop();
    // The oldest: a server that has few threads gives them to its connections in their order.
    const index = this.#idle.findIndex(({ connection, sinceNs }) =>
      !connection.used || nowNs - sinceNs >= LINGER_NS
    );
    if (index < 0) return undefined;
    const [found] = this.#idle.splice(index, 1);
    // It has outlasted its reply, so the server has changed its ways.
    if (found?.connection.used) this.noteKept();
    return found;
  }

  /**
   * Forgets an idle connection that the server has closed.
   * @returns whether it was a spare one that the server had let be for a while
   */
  drop(connection: C, nowNs: number): boolean {
    const index = this.#idle.findIndex((idle) => idle.connection === connection);
    if (index < 0) return false;
    const [{ sinceNs }] = this.#idle.splice(index, 1) as [IdleConnection<C>];
    if (connection.used) this.noteClosed(nowNs - sinceNs);
    return !connection.used && nowNs - sinceNs >= LINGER_NS;
  }

  /** A connection turned out to be closed, this long after its last reply. */
  noteClosed(idleNs: number): void {
    if (idleNs < LINGER_NS) this.#closedInRow++;
  }

  /** A connection could be used again. */
  noteKept(): void {
    this.#closedInRow = 0;
  }

  get #closesConnections(): boolean {
    return this.#closedInRow >= CLOSED_IN_ROW;
  }
}
