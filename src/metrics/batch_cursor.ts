import type { RecordBatch } from "../record/record_batch.ts";
import { RECORD_FIELDS, type RecordField } from "../record/request_fields.ts";
import type { FullRecord } from "./full_record.ts";
import type { RequestRecord } from "./request_record.ts";

class ColumnView {
  columns: readonly Float64Array[] = [];
  at = 0;
  chunkNs: Float64Array = new Float64Array(0);
}

RECORD_FIELDS.forEach((name, column) => {
  Object.defineProperty(ColumnView.prototype, name satisfies RecordField, {
    get(this: ColumnView) {
      return (this.columns[column] as Float64Array)[this.at];
    },
  });
});

/**
 * A cursor over the records of batches: it is set to one after another instead of making an object of
 * each. Texts are made when they are asked for.
 */
export class BatchCursor implements FullRecord {
  readonly #view = new ColumnView();
  readonly record: RequestRecord = this.#view as unknown as RequestRecord;
  readonly rawReply = undefined;
  #batch: RecordBatch | undefined;

  /** Sets it to a record of a batch. */
  set(batch: RecordBatch, at: number): void {
    const view = this.#view;
    this.#batch = batch;
    view.columns = batch.columns;
    view.at = at;
    view.chunkNs = batch.stampNs.subarray(batch.stampStarts[at], batch.stampStarts[at + 1]);
  }

  get requestId(): string {
    return this.#batch?.requestId(this.#view.at) as string;
  }

  get finishReason(): string | null {
    return this.#batch?.finishReason(this.#view.at) as string | null;
  }

  get error(): string | undefined {
    return this.#batch?.error(this.#view.at);
  }
}
