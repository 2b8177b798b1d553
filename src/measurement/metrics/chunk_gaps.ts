import type { RecordRows } from "../../client/record/record_rows.ts";
import { RECORD_FIELD } from "../../client/record/request_fields.ts";
import type { StoredColumn } from "../../core/statistics/stored_column.ts";
import type { RequestRecord } from "./request_record.ts";
import { SpanPool } from "./span_pool.ts";

/** The gaps between the chunks of a table's valid requests, in one pool. */
export class ChunkGaps {
  readonly pool = new SpanPool();
  /** Number of gaps pooled after each row. */
  readonly ends: StoredColumn;
  readonly #arePooled: boolean;
  #gaps = new Float64Array(0);

  /** @param arePooled whether gaps exist and are requested */
  constructor(ends: StoredColumn, arePooled: boolean) {
    this.ends = ends;
    this.#arePooled = arePooled;
  }

  /** Adds a row. */
  add({ chunkNs }: RequestRecord, valid: boolean): void {
    if (valid && this.#arePooled) {
      for (let at = 1; at < chunkNs.length; at++) {
        this.pool.add((chunkNs[at] as number) - (chunkNs[at - 1] as number));
      }
    }
    this.ends.push(this.pool.count);
  }

  /**
   * Adds rows from one up to another.
   * @param room for a number of each, which is overwritten
   */
  addRows(rows: RecordRows, start: number, end: number, room: Float64Array): void {
    if (!this.#arePooled) return this.ends.pushSame(this.pool.count, end - start);
    const { columns, stampNs, stampStarts } = rows;
    const kinds = columns[RECORD_FIELD.errorKind] as Float64Array;
    const stamps = (stampStarts[end] as number) - (stampStarts[start] as number);
    if (this.#gaps.length < stamps) this.#gaps = new Float64Array(2 * stamps);
    const gaps = this.#gaps;
    const before = this.pool.count;
    let count = 0;
    for (let at = start; at < end; at++) {
      if ((kinds[at] as number) < 0) {
        const last = stampStarts[at + 1] as number;
        for (let stamp = (stampStarts[at] as number) + 1; stamp < last; stamp++) {
          gaps[count++] = (stampNs[stamp] as number) - (stampNs[stamp - 1] as number);
        }
      }
      room[at - start] = before + count;
    }
    this.pool.addAll(gaps, count);
    this.ends.pushAll(room);
  }
}
