import type { Shadow } from "../canary/canary_kind.ts";
import type { RecordTable } from "../metrics/record_table.ts";
import type { StoredColumn } from "../statistics/stored_column.ts";
import type { ReceivedValues } from "./received_bounds.ts";

/** No time between tokens is taken to be shorter where it is divided by. */
const LEAST_ITL_MS = 1e-6;

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

  /**
   * What times of some rows would be if the chunks with which they end, or begin, had been there then.
   * @param ends the chunks with which they end: one of them
   * @param begin the chunk with which they begin; undefined where no chunk does
   * @param divisors that a chunk's time is shared out among; undefined for none
   */
  received(
    rows: Uint32Array,
    values: Float64Array,
    ends: readonly Shadow[],
    begin: Shadow | undefined,
    divisors: Float64Array | undefined,
  ): ReceivedValues {
    const changed = (sign: 1 | -1, kinds: readonly Shadow[]): Float64Array | undefined => {
      let isAny = false;
      const found = values.map((value, at) => {
        const row = rows[at] as number;
        const piledNs = kinds.reduce((most, kind) => Math.max(most, this.mostNs(kind, row)), 0);
        isAny ||= piledNs > 0;
        return value + sign * piledNs / 1e6 / (divisors?.[at] ?? 1);
      });
      return isAny ? found : undefined;
    };
    return {
      values,
      least: changed(-1, ends),
      most: begin === undefined ? undefined : changed(1, [begin]),
    };
  }

  #of(kind: Shadow): readonly Float64Array[] {
    const { piled, receivingNs } = this.#table;
    return this.#columns[kind] ??= [piled[kind], ...(kind === "last" ? [receivingNs] : [])]
      .map(this.#valuesOf);
  }
}

/** The same of rates, which are a thousand divided by the milliseconds between tokens. */
export function receivedRates({ values, least, most }: ReceivedValues): ReceivedValues {
  const rates = (ms: Float64Array): Float64Array =>
    ms.map((each) => 1000 / Math.max(each, LEAST_ITL_MS));
  return { values: rates(values), least: most && rates(most), most: least && rates(least) };
}
