/**
 * Files of records as one: stretches of them are put together, column by column, in the order in
 * which one process would have taken the records in.
 */

import { type BatchSource, nextBatch, openSource } from "./batch_source.ts";
import { radixOrder } from "./radix_order.ts";
import type { RecordBatch } from "./record_batch.ts";
import type { RecordRows, RecordTexts } from "./record_rows.ts";
import {
  RECORD_FIELD,
  RECORD_FIELD_COUNT,
  RECORD_FIELDS,
  type RecordField,
} from "./request_fields.ts";

/** Most records that are put together at once. */
const MAX_ROWS = 4096;
const TAKEN = RECORD_FIELD.takenNs;

/**
 * The records of files by their places: each file is in the order of its places, and so is what comes
 * out. Of equal places that of the file named first comes first.
 * @param fields those that are put together, if not all are needed; others may be NaN all over
 * @returns some rows after the other, each valid until the next ones
 */
export function* joinedRows(
  files: readonly Iterator<RecordBatch>[],
  fields: readonly RecordField[] = RECORD_FIELDS,
): Generator<RecordRows> {
  const sources = files.map(openSource).filter((source) => source !== undefined);
  const found = new FoundRows();
  const rows = new JoinedRows(fields);
  while (sources.length > 1) {
    const ended = found.find(sources);
    for (let start = 0; start < found.count; start += MAX_ROWS) {
      rows.fill(sources, found, start, Math.min(found.count, start + MAX_ROWS));
      yield rows;
    }
    for (const source of ended) {
      if (!nextBatch(source)) sources.splice(sources.indexOf(source), 1);
    }
  }
  const [last] = sources;
  if (last === undefined) return;
  if (last.at > 0) {
    found.find(sources);
    rows.fill(sources, found, 0, found.count);
    yield rows;
    if (!nextBatch(last)) return;
  }
  do yield last.batch; while (nextBatch(last));
}

function placesOf({ batch }: BatchSource): Float64Array {
  return batch.columns[TAKEN] as Float64Array;
}

/** Where the next records lie, in their order: all up to the first end of a batch. */
class FoundRows {
  count = 0;
  sources = new Uint32Array(MAX_ROWS);
  rows = new Uint32Array(MAX_ROWS);
  #keys = new Float64Array(MAX_ROWS);
  #unordered = { sources: new Uint32Array(MAX_ROWS), rows: new Uint32Array(MAX_ROWS) };

  /** @returns the sources whose batches are used up by them; one at least */
  find(sources: readonly BatchSource[]): BatchSource[] {
    let limit = Infinity;
    let limiting = 0;
    sources.forEach((source, place) => {
      const last = placesOf(source)[source.batch.count - 1] as number;
      if (!(last < limit)) return;
      limit = last;
      limiting = place;
    });
    const ended: BatchSource[] = [];
    this.count = 0;
    sources.forEach((source, place) => {
      const places = placesOf(source);
      const { at, batch: { count } } = source;
      let end = at;
      // All of it, also where a damaged file is in no order.
      if (place === limiting) end = count;
      // What is at the limit itself comes before the next batch of the file that limits, or after it.
      else if (place < limiting) { while (end < count && (places[end] as number) <= limit) end++; }
      else while (end < count && (places[end] as number) < limit) end++;
      this.#reserve(this.count + end - at);
      const { rows: ownRows, sources: ownSources } = this.#unordered;
      for (let row = at; row < end; row++) {
        ownSources[this.count] = place;
        ownRows[this.count] = row;
        this.#keys[this.count++] = places[row] as number;
      }
      source.at = end;
      if (end === count) ended.push(source);
    });
    const order = radixOrder(this.#keys.subarray(0, this.count));
    for (let i = 0; i < order.length; i++) {
      const at = order[i] as number;
      this.sources[i] = this.#unordered.sources[at] as number;
      this.rows[i] = this.#unordered.rows[at] as number;
    }
    return ended;
  }

  #reserve(count: number): void {
    if (count <= this.#keys.length) return;
    const length = Math.max(count, 2 * this.#keys.length);
    const longer = <T extends Uint32Array | Float64Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.#keys = longer(new Float64Array(length), this.#keys);
    this.sources = new Uint32Array(length);
    this.rows = new Uint32Array(length);
    const { rows, sources } = this.#unordered;
    this.#unordered = {
      sources: longer(new Uint32Array(length), sources),
      rows: longer(new Uint32Array(length), rows),
    };
  }
}

/** Records of several batches, put together. */
class JoinedRows implements RecordRows {
  count = 0;
  readonly columns = Array.from(
    { length: RECORD_FIELD_COUNT },
    () => new Float64Array(MAX_ROWS).fill(NaN),
  );
  stampNs = new Float64Array(8 * MAX_ROWS);
  readonly stampStarts = new Uint32Array(MAX_ROWS + 1);
  /** The one value that a column holds all over; undefined if it does not. */
  readonly #held: (number | undefined)[] = this.columns.map(() => NaN);
  readonly #texts: RecordTexts[] = [];
  readonly #rows = new Uint32Array(MAX_ROWS);
  /** Columns that are put together. */
  readonly #wanted: readonly number[];

  constructor(fields: readonly RecordField[]) {
    this.#wanted = fields.map((field) => RECORD_FIELD[field]);
  }

  /** Takes those that were found from a place up to another one. */
  fill(sources: readonly BatchSource[], found: FoundRows, start: number, end: number): void {
    this.count = end - start;
    const from = found.sources.subarray(start, end);
    const rows = found.rows.subarray(start, end);
    this.#rows.set(rows);
    for (let i = 0; i < this.count; i++) {
      this.#texts[i] = (sources[from[i] as number] as BatchSource).batch.texts;
    }
    for (const column of this.#wanted) this.#fillColumn(column, sources, from, rows);
    this.#fillStamps(sources, from, rows);
  }

  #fillColumn(
    column: number,
    sources: readonly BatchSource[],
    from: Uint32Array,
    rows: Uint32Array,
  ): void {
    const own = this.columns[column] as Float64Array;
    const same = sameIn(sources, column);
    if (same !== undefined) {
      const held = this.#held[column];
      if (held === undefined || !Object.is(held, same)) own.fill(same);
      this.#held[column] = same;
      return;
    }
    this.#held[column] = undefined;
    const arrays = sources.map(({ batch }) => batch.columns[column] as Float64Array);
    for (let i = 0; i < from.length; i++) {
      own[i] = (arrays[from[i] as number] as Float64Array)[rows[i] as number] as number;
    }
  }

  #fillStamps(sources: readonly BatchSource[], from: Uint32Array, rows: Uint32Array): void {
    const stamps = sources.map(({ batch }) => batch.stampNs);
    const starts = sources.map(({ batch }) => batch.stampStarts);
    let length = 0;
    for (let i = 0; i < from.length; i++) {
      const source = from[i] as number;
      const row = rows[i] as number;
      const ownStarts = starts[source] as Uint32Array;
      const ownStamps = stamps[source] as Float64Array;
      const last = ownStarts[row + 1] as number;
      this.stampStarts[i] = length;
      let stamp = ownStarts[row] as number;
      if (length + last - stamp > this.stampNs.length) {
        const longer = new Float64Array(2 * (length + last - stamp));
        longer.set(this.stampNs);
        this.stampNs = longer;
      }
      for (const own = this.stampNs; stamp < last; stamp++) {
        own[length++] = ownStamps[stamp] as number;
      }
    }
    this.stampStarts[from.length] = length;
  }

  same(column: number): number | undefined {
    return this.#held[column];
  }

  requestId(at: number): string {
    return (this.#texts[at] as RecordTexts).requestId(this.#rows[at] as number);
  }

  finishReason(at: number): string | null {
    return (this.#texts[at] as RecordTexts).finishReason(this.#rows[at] as number);
  }

  error(at: number): string | undefined {
    return (this.#texts[at] as RecordTexts).error(this.#rows[at] as number);
  }
}

/** The one value that all batches have in a column. */
function sameIn(sources: readonly BatchSource[], column: number): number | undefined {
  const first = sources[0]?.batch.same(column);
  if (first === undefined) return undefined;
  for (const { batch } of sources) {
    const same = batch.same(column);
    if (same === undefined || !Object.is(same, first)) return undefined;
  }
  return first;
}
