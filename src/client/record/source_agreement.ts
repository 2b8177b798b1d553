import type { BatchSource } from "./batch_source.ts";

/**
 * Which columns have one value in the batches of all sources. Batches follow each other one by one:
 * to ask all of them again each time would cost as much as to put their records together.
 */
export class SourceAgreement {
  readonly #columns: readonly number[];
  /**
   * Value that a column has in all rows of each source's batch; undefined if there are several
   * values.
   */
  readonly #seen = new Map<BatchSource, (number | undefined)[]>();
  /** A value of each column, and how many sources have it all over. */
  readonly #values: (number | undefined)[] = [];
  readonly #counts: number[] = [];

  /** @param columns those that are asked for */
  constructor(columns: readonly number[], sources: readonly BatchSource[]) {
    this.#columns = columns;
    for (const column of columns) this.#counts[column] = 0;
    for (const source of sources) this.change(source);
  }

  /** The one value that all sources have in a column; undefined if they differ. */
  same(column: number): number | undefined {
    return this.#counts[column] === this.#seen.size ? this.#values[column] : undefined;
  }

  /** Handles a source that has proceeded to its next batch. */
  change(source: BatchSource): void {
    let seen = this.#seen.get(source);
    if (seen === undefined) this.#seen.set(source, seen = []);
    for (const column of this.#columns) {
      const same = source.batch.same(column);
      if (Object.is(seen[column], same)) continue;
      this.#forget(column, seen[column]);
      seen[column] = same;
      if (same === undefined) continue;
      if (this.#counts[column] === 0) this.#countAll(column, same);
      else if (Object.is(this.#values[column], same)) {
        this.#counts[column] = this.#countOf(column) + 1;
      }
    }
  }

  /** Removes a source that has ended. */
  leave(source: BatchSource): void {
    const seen = this.#seen.get(source) ?? [];
    for (const column of this.#columns) this.#forget(column, seen[column]);
    this.#seen.delete(source);
  }

  #countAll(column: number, value: number): void {
    let count = 0;
    for (const seen of this.#seen.values()) if (Object.is(seen[column], value)) count++;
    this.#values[column] = value;
    this.#counts[column] = count;
  }

  #forget(column: number, value: number | undefined): void {
    if (value === undefined || !Object.is(this.#values[column], value)) return;
    this.#counts[column] = this.#countOf(column) - 1;
  }

  #countOf(column: number): number {
    return this.#counts[column] as number;
  }
}
