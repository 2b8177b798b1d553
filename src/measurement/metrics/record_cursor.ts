import {
  RECORD_FIELD,
  RECORD_FIELD_COUNT,
  RECORD_FIELDS,
  type RecordField,
} from "../../client/record/request_fields.ts";
import type { RequestRecord } from "./request_record.ts";

/** A record that is looked at where its numbers lie; see {@linkcode recordCursor}. */
export interface RecordCursor extends RequestRecord {
  /** The numbers in the order of `RECORD_FIELDS`. */
  row: Float64Array;
  chunkNs: Float64Array;
}

class RowView {
  row: Float64Array = new Float64Array(RECORD_FIELD_COUNT).fill(NaN);
  chunkNs: Float64Array = new Float64Array(0);

  get stampCount(): number {
    return this.chunkNs.length;
  }

  get firstChunkNs(): number {
    return this.chunkNs[0] ?? NaN;
  }

  get secondChunkNs(): number {
    return this.chunkNs[1] ?? NaN;
  }

  get lastChunkNs(): number {
    return this.chunkNs[this.chunkNs.length - 1] ?? NaN;
  }

  get outputChunkNs(): number {
    return this.chunkNs[this.row[RECORD_FIELD.firstOutputChunk] as number] ?? NaN;
  }
}

RECORD_FIELDS.forEach((name, column) => {
  Object.defineProperty(RowView.prototype, name satisfies RecordField, {
    get(this: RowView) {
      return this.row[column];
    },
  });
});

/**
 * A cursor over records in rows: it is set to one after another instead of making an object of each.
 * All fields are NaN until its row is set.
 */
export function recordCursor(): RecordCursor {
  return new RowView() as unknown as RecordCursor;
}
