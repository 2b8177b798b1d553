import { GrowingColumn } from "../../core/statistics/growing_column.ts";

/** A request as far as prefix caches depend on it. */
export interface PromptRequest {
  readonly phase: number;
  readonly index: number;
  readonly session: number;
  readonly turn: number;
  /** Row of the payload table. */
  readonly entry: number;
  /** Row of the model in the plan's list, 0 if there is only one. */
  readonly model: number;
  readonly startNs: number;
  /** Time for which it was intended; ns. */
  readonly dueNs: number;
  /** When its prompt and its reply had been computed; ns, Infinity if never. */
  readonly readyNs: number;
  readonly endNs: number;
  readonly tokens: number;
  /** Prompt tokens from the cache; NaN if the reply does not report them. */
  readonly cachedTokens: number;
  /** Number of the replica that computed the prompt; NaN if the reply does not name it. */
  readonly worker: number;
  /** Tokens of the reply that later turns repeat; 0 if they do not. */
  readonly replyTokens: number;
}

const FIELDS = [
  ...["phase", "index", "session", "turn", "entry", "model", "startNs", "dueNs", "readyNs"],
  ...["endNs", "tokens", "cachedTokens", "worker", "replyTokens"],
] as const satisfies readonly (keyof PromptRequest)[];
/** Counts that fit into 32 bits. */
const COUNTS: ReadonlySet<keyof PromptRequest> = new Set([
  ...["phase", "index", "session", "turn", "entry", "model", "tokens", "replyTokens"] as const,
]);

/** Requests in columns, in the order in which they were added. */
export class PromptRequests {
  readonly #columns = new Map(
    FIELDS.map((name) => [
      name,
      COUNTS.has(name)
        ? new GrowingColumn((length) => new Uint32Array(length))
        : new GrowingColumn((length) => new Float64Array(length)),
    ]),
  );

  get length(): number {
    return this.#columns.get("startNs")?.length ?? 0;
  }

  add(request: PromptRequest): void {
    for (const [name, column] of this.#columns) column.push(request[name]);
  }

  clear(): void {
    for (const column of this.#columns.values()) column.take();
  }

  /** The values of a field; not to be changed. */
  column(name: keyof PromptRequest): ArrayLike<number> {
    return this.#columns.get(name)?.values ?? [];
  }

  /** The requests, in the order of their numbers or in another one. */
  *read(order?: Iterable<number>): Generator<PromptRequest> {
    const columns = FIELDS.map((name) => [name, this.column(name)] as const);
    for (const at of order ?? numbersUpTo(this.length)) {
      yield Object.fromEntries(
        columns.map(([name, values]) => [name, values[at] as number]),
      ) as Record<typeof FIELDS[number], number>;
    }
  }

  /** Numbers of the requests in the order in which they were due, then started. */
  get inOrder(): Uint32Array {
    const [due, start] = [this.column("dueNs"), this.column("startNs")];
    return Uint32Array.from(numbersUpTo(this.length)).sort((a, b) =>
      (due[a] as number) - (due[b] as number) || (start[a] as number) - (start[b] as number)
    );
  }
}

function* numbersUpTo(end: number): Generator<number> {
  for (let at = 0; at < end; at++) yield at;
}
