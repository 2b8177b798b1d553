import type { RecordRows, RowsStretch } from "../record/record_rows.ts";
import { RECORD_FIELD, RECORD_FIELDS, type RecordField } from "../record/request_fields.ts";
import type { FullRecord } from "./full_record.ts";
import type { RequestRecord } from "./request_record.ts";

const NOTHING = new Float64Array(0);

class RowsView {
  columns: readonly Float64Array[] = [];
  at = 0;
  stampNs: Float64Array = NOTHING;
  stampStarts: Uint32Array = new Uint32Array(0);
  firsts: Float64Array = NOTHING;
  seconds: Float64Array = NOTHING;
  lasts: Float64Array = NOTHING;
  outputs: Float64Array = NOTHING;

  get chunkNs(): Float64Array {
    return this.stampNs.subarray(this.stampStarts[this.at], this.stampStarts[this.at + 1]);
  }

  get stampCount(): number {
    return (this.stampStarts[this.at + 1] as number) - (this.stampStarts[this.at] as number);
  }

  get firstChunkNs(): number {
    return this.firsts[this.at] as number;
  }

  get secondChunkNs(): number {
    return this.seconds[this.at] as number;
  }

  get lastChunkNs(): number {
    return this.lasts[this.at] as number;
  }

  get outputChunkNs(): number {
    return this.outputs[this.at] as number;
  }
}

/** A record that remembers which of its numbers were looked at. */
class LookedAt {
  readonly columns = new Set<number>();
  hasStamps = false;

  constructor(readonly view: RowsView) {}
}

["chunkNs", "stampCount", "firstChunkNs", "secondChunkNs", "lastChunkNs", "outputChunkNs"]
  .forEach((name) => {
    Object.defineProperty(LookedAt.prototype, name, {
      get(this: LookedAt) {
        this.hasStamps = true;
        return this.view[name as keyof RowsView];
      },
    });
  });

RECORD_FIELDS.forEach((name, column) => {
  Object.defineProperty(LookedAt.prototype, name, {
    get(this: LookedAt) {
      this.columns.add(column);
      return (this.view.columns[column] as Float64Array)[this.view.at];
    },
  });
  Object.defineProperty(RowsView.prototype, name satisfies RecordField, {
    get(this: RowsView) {
      return (this.columns[column] as Float64Array)[this.at];
    },
  });
});

/**
 * A cursor over records that lie in columns: it is set to one after another instead of making an
 * object of each. Texts, and the list of a record's stamps, are made when they are asked for.
 */
export class RowsCursor implements FullRecord {
  readonly #view = new RowsView();
  readonly record: RequestRecord = this.#view as unknown as RequestRecord;
  readonly rawReply = undefined;
  #rows: RecordRows | undefined;
  #start = 0;
  #end = 0;

  /** Sets it to the first of some records. */
  setRows({ batch, start, end }: RowsStretch): void {
    const view = this.#view;
    this.#rows = batch;
    this.#start = start;
    this.#end = end;
    view.at = start;
    view.columns = batch.columns;
    view.stampNs = batch.stampNs;
    view.stampStarts = batch.stampStarts;
    if (view.firsts.length < end) {
      view.firsts = new Float64Array(end);
      view.seconds = new Float64Array(end);
      view.lasts = new Float64Array(end);
      view.outputs = new Float64Array(end);
    }
    const { firsts, lasts, outputs, seconds, stampNs, stampStarts } = view;
    const places = batch.columns[RECORD_FIELD.firstOutputChunk] as Float64Array;
    for (let at = start; at < end; at++) {
      const first = stampStarts[at] as number;
      const last = (stampStarts[at + 1] as number) - 1;
      const output = first + (places[at] as number);
      firsts[at] = first <= last ? stampNs[first] as number : NaN;
      seconds[at] = first < last ? stampNs[first + 1] as number : NaN;
      lasts[at] = first <= last ? stampNs[last] as number : NaN;
      outputs[at] = output >= first && output <= last ? stampNs[output] as number : NaN;
    }
  }

  /** The rows that it was set to. */
  get rows(): RecordRows {
    return this.#rows as RecordRows;
  }

  /** The first of the records that it was set to, and the place behind the last. */
  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  /**
   * The value that a formula has of each of the rows; undefined if they may differ. A formula that
   * looks only at columns which say the same all over gives the same all over.
   */
  same(formula: (record: RequestRecord) => number): number | undefined {
    const looked = new LookedAt(this.#view);
    const value = formula(looked as unknown as RequestRecord);
    if (looked.hasStamps) return undefined;
    for (const column of looked.columns) {
      if (this.rows.same(column) === undefined) return undefined;
    }
    return value;
  }

  get at(): number {
    return this.#view.at;
  }

  /** Which of the records it stands at. */
  set at(at: number) {
    this.#view.at = at;
  }

  get requestId(): string {
    return this.rows.requestId(this.#view.at);
  }

  get finishReason(): string | null {
    return this.rows.finishReason(this.#view.at);
  }

  get error(): string | undefined {
    return this.rows.error(this.#view.at);
  }
}
