import { FloatColumn } from "../../core/statistics/float_column.ts";
import { CANARY_FIELD_COUNT, CANARY_KIND, MESSAGE_KINDS } from "./canary_kind.ts";

/** Canaries that are kept: of a run of days, every second, fourth ... */
const MAX_KEPT = 500_000;
const MESSAGES = new Set<number>(MESSAGE_KINDS.map((kind) => CANARY_KIND[kind]));

/** The canaries of a run and the stalls of its load workers. */
export class CanaryLog {
  readonly #workers = new FloatColumn();
  readonly #columns = Array.from({ length: CANARY_FIELD_COUNT }, () => new FloatColumn());
  /** Thinning factor: one in this many canaries is kept. */
  #thinning = 1;
  #seen = 0;
  #canaries = 0;

  /** Rows that are kept. */
  get length(): number {
    return this.#workers.length;
  }

  /** Adds the rows that a worker sent; see {@linkcode CANARY_FIELDS}. */
  add(worker: number, rows: Float64Array): void {
    for (let at = 0; at < rows.length; at += CANARY_FIELD_COUNT) {
      if (isMessage(rows[at] as number)) {
        if (this.#seen++ % this.#thinning !== 0) continue;
        this.#canaries++;
      }
      this.#workers.push(worker);
      this.#columns.forEach((column, field) => column.push(rows[at + field] as number));
    }
    // Stalls do not count: each of them is kept, and many leave none the fewer canaries.
    if (this.#canaries >= MAX_KEPT) this.#thin();
  }

  /** A column of all rows, in the order in which they came. */
  column(field: 0 | 1 | 2 | 3): Float64Array {
    return (this.#columns[field] as FloatColumn).values;
  }

  /** The worker of each row. */
  get workers(): Float64Array {
    return this.#workers.values;
  }

  /** Drops every second canary, and keeps half as many of the next ones. */
  #thin(): void {
    const kinds = this.column(0);
    let canaries = 0;
    const kept = [...kinds.keys()].filter((row) =>
      !isMessage(kinds[row] as number) || canaries++ % 2 === 0
    );
    for (const column of [this.#workers, ...this.#columns]) {
      const values = column.take();
      for (const row of kept) column.push(values[row] as number);
    }
    this.#thinning *= 2;
    this.#canaries = Math.ceil(this.#canaries / 2);
  }
}

function isMessage(kind: number): boolean {
  return MESSAGES.has(kind);
}
