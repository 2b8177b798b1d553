import type { FlawTexts } from "../../client/record/flaw_texts.ts";
import type { RecordRows, RowsStretch } from "../../client/record/record_rows.ts";
import {
  RECORD_FIELD,
  RECORD_FIELDS,
  type RecordField,
} from "../../client/record/request_fields.ts";
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

/** A value of a record. */
export type Formula = (record: RequestRecord) => number;

/** Fields that a formula read when it was last evaluated for all rows. */
interface Look {
  readonly columns: readonly number[];
  /** The one value of each of the columns then; undefined if it had several. */
  readonly seen: readonly (number | undefined)[];
  readonly value: number;
  readonly hasStamps: boolean;
}

/** Puts values of records from one place up to another at the beginning of an array. */
type Loop = (view: RowsView, into: Float64Array, start: number, end: number) => void;

const loops = new WeakMap<Formula, Loop>();

let loopCount = 0;

/**
 * A loop of a formula's own, made of text that no other loop has: what the compiler learns in one that
 * formulas share fits none of them, and each value costs several calls.
 */
function ownLoop(formula: Formula): Loop {
  const loop = `return function loop${++loopCount}(view, into, start, end) {
    for (let at = start; at < end; at++) {
      view.at = at;
      into[at - start] = formula(view);
    }
  }`;
  return new Function("formula", loop)(formula);
}

/**
 * A cursor over records stored in columns: it moves from record to record instead of allocating an
 * object for each. Texts and the list of a record's timestamps are created on access.
 */
export class RowsCursor implements FullRecord {
  readonly #view = new RowsView();
  readonly record: RequestRecord = this.#view as unknown as RequestRecord;
  readonly rawReply = undefined;
  #rows: RecordRows | undefined;
  #start = 0;
  #end = 0;
  readonly #looks = new Map<Formula, Look>();

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
   * Puts the values that a formula has of the records from one up to another at the beginning of an
   * array.
   */
  valuesInto(formula: Formula, into: Float64Array, start: number, end: number): void {
    let loop = loops.get(formula);
    if (loop === undefined) loops.set(formula, loop = ownLoop(formula));
    loop(this.#view, into, start, end);
  }

  /**
   * The value that a formula has of each of the rows; undefined if they may differ. A formula that
   * looks only at columns which say the same all over gives the same all over.
   */
  same(formula: Formula): number | undefined {
    const { rows } = this;
    const last = this.#looks.get(formula);
    if (last !== undefined) {
      if (last.hasStamps) return undefined;
      let isAsBefore = true;
      for (let i = 0; i < last.columns.length; i++) {
        const same = rows.same(last.columns[i] as number);
        // It may be that the formula would look elsewhere now: then the rows say so one by one.
        if (same === undefined) return undefined;
        if (!Object.is(same, last.seen[i])) isAsBefore = false;
      }
      if (isAsBefore) return last.value;
    }
    const looked = new LookedAt(this.#view);
    const value = formula(looked as unknown as RequestRecord);
    const columns = [...looked.columns];
    const seen = columns.map((column) => rows.same(column));
    this.#looks.set(formula, { columns, seen, value, hasStamps: looked.hasStamps });
    return looked.hasStamps || seen.includes(undefined) ? undefined : value;
  }

  get at(): number {
    return this.#view.at;
  }

  /** Index of the current record. */
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

  get flaw(): string | undefined {
    return this.rows.flaw(this.#view.at);
  }

  get flawTexts(): FlawTexts | undefined {
    return this.rows.flawTexts(this.#view.at);
  }
}
