/**
 * Facts of sessions that their records do not have: names, and where in their recorded time they were
 * entered. They are lines of `run/sessions.jsonl`, parsed when they are needed.
 */

/** An agent of a session. */
export interface SessionAgent {
  readonly name: string;
  /** Kind of the agent, such as `main` or the type of a subagent. */
  readonly kind: string;
  /** Number of its calls that send something. */
  readonly calls: number;
}

/** A call that waits for other agents. */
export interface SessionGate {
  readonly call: number;
  /** The call of the same agent before it; absent for its first call. */
  readonly before?: number;
  /** Calls that it waits for, and the numbers of their agents. */
  readonly from: readonly number[];
  readonly agents: readonly number[];
  /** Whether it sends nothing: it only orders other calls. */
  readonly isSilent?: true;
}

/** See the module's comment. */
export interface SessionFacts {
  /** Number of the session within the phase. */
  readonly session: number;
  /** Name of its conversation in the input. */
  readonly sourceId: string;
  /** Number of earlier sessions of the plan with the same conversation. */
  readonly pass: number;
  /** The marker that sets its prompts apart from others; absent for none. */
  readonly salt?: string | undefined;
  /** Share of its recorded time at which it was entered; 0 for its beginning. */
  readonly startRatio: number;
  /** Calls that were sent ahead because it was entered in its middle. */
  readonly primed: number;
  /** Mean tokens of its recorded replies; absent where they are not known. */
  readonly recordedOutput?: number | undefined;
  /** Names of its calls, in the order of their numbers; absent where turns follow each other. */
  readonly calls?: readonly string[];
  /** Agents of the session, in the order of their numbers; absent where turns follow each other. */
  readonly agents?: readonly SessionAgent[];
  /** Calls that wait for other agents; absent where turns follow each other. */
  readonly gates?: readonly SessionGate[];
  /** First calls of agents that start some time after the call that starts them. */
  readonly delayed?: readonly number[];
}

/** Keeps the facts of sessions by their numbers, as text. */
export class SessionBook {
  readonly #lines = new Map<number, string>();
  #last: SessionFacts | undefined;

  /** Number of the sessions that are known. */
  get size(): number {
    return this.#lines.size;
  }

  has(session: number): boolean {
    return this.#lines.has(session);
  }

  /** Adds a session; returns its line, without a line end. */
  add(facts: SessionFacts): string {
    const line = JSON.stringify(facts);
    this.#lines.set(facts.session, line);
    return line;
  }

  /**
   * Adds a line that {@linkcode SessionBook.add} returned.
   * @returns whether it is one
   */
  addLine(line: string): boolean {
    const number = /^\{"session":(\d+),/.exec(line)?.[1];
    if (number === undefined || !line.endsWith("}")) return false;
    this.#lines.set(Number(number), line);
    return true;
  }

  /** All lines. */
  lines(): IterableIterator<string> {
    return this.#lines.values();
  }

  /** Facts of a session; undefined if they are not known. */
  of(session: number): SessionFacts | undefined {
    if (this.#last?.session === session) return this.#last;
    const line = this.#lines.get(session);
    if (line === undefined) return undefined;
    this.#last = JSON.parse(line) as SessionFacts;
    return this.#last;
  }
}
