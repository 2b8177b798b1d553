import type { StoredColumn } from "../../core/statistics/stored_column.ts";
import type { Shadow } from "../canary/canary_kind.ts";
import type { RecordTable } from "../metrics/record_table.ts";

/**
 * Upper bounds of the time that chunks waited before their reads: behind others that filled the
 * buffers, or as part of a non-streamed reply that took several reads.
 */
export class PiledChunks {
  readonly #table: Pick<RecordTable, "piled" | "receivingNs">;
  readonly #valuesOf: (column: StoredColumn) => Float64Array;
  /** Times by row, the longest of which is used; none if no chunk of the kind can have waited. */
  readonly #columns: Partial<Record<Shadow, readonly Float64Array[]>> = {};

  /** @param valuesOf a column's values */
  constructor(
    table: Pick<RecordTable, "piled" | "receivingNs">,
    valuesOf: (column: StoredColumn) => Float64Array,
  ) {
    this.#table = table;
    this.#valuesOf = valuesOf;
  }

  /** Returns the maximum time that a chunk of a row waited before it was read, in nanoseconds. */
  mostNs(kind: Shadow, row: number): number {
    // Records of other versions do not have it.
    return this.#of(kind).reduce((most, column) => Math.max(most, column[row] || 0), 0);
  }

  #of(kind: Shadow): readonly Float64Array[] {
    const { piled, receivingNs } = this.#table;
    return this.#columns[kind] ??= [piled[kind], ...(kind === "last" ? [receivingNs] : [])]
      .map(this.#valuesOf);
  }
}
