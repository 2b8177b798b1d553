import type { StoredColumn } from "../../core/statistics/stored_column.ts";
import type { Shadow } from "../canary/canary_kind.ts";
import type { RecordTable } from "../metrics/record_table.ts";

/**
 * How long before their reads chunks can have been there: behind others for which reads had no room, or
 * of a reply in one piece that took several.
 */
export class PiledChunks {
  readonly #table: Pick<RecordTable, "piled" | "receivingNs">;
  readonly #valuesOf: (column: StoredColumn) => Float64Array;
  /** Times by row, of which the longest counts; none where no chunk of the kind can. */
  readonly #columns: Partial<Record<Shadow, readonly Float64Array[]>> = {};

  /** @param valuesOf a column's values */
  constructor(
    table: Pick<RecordTable, "piled" | "receivingNs">,
    valuesOf: (column: StoredColumn) => Float64Array,
  ) {
    this.#table = table;
    this.#valuesOf = valuesOf;
  }

  /** So long before it was read a chunk of a row can have been there, in nanoseconds. */
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
