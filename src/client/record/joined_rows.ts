/**
 * Files of records as one: intervals of them are joined column by column, in the order in which one
 * process would have ingested the records.
 */

import { type BatchSource, nextBatch, openSource } from "./batch_source.ts";
import type { FlawTexts } from "./flaw_texts.ts";
import { radixOrder } from "./radix_order.ts";
import type { RecordBatch } from "./record_batch.ts";
import type { RecordRows, RecordTexts } from "./record_rows.ts";
import {
  RECORD_FIELD,
  RECORD_FIELD_COUNT,
  RECORD_FIELDS,
  type RecordField,
} from "./request_fields.ts";
import { SourceAgreement } from "./source_agreement.ts";

/** Number of joined records at which they are forwarded. */
const ENOUGH_ROWS = 4096;
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
  const rows = new JoinedRows(fields, sources);
  while (sources.length > 1 || (sources[0]?.at ?? 0) > 0) {
    const ended = found.find(sources);
    rows.add(sources, found);
    for (const source of ended) {
      if (nextBatch(source)) rows.agreement.change(source);
      else {
        rows.agreement.leave(source);
        sources.splice(sources.indexOf(source), 1);
      }
    }
    if (rows.count < ENOUGH_ROWS) continue;
    yield rows;
    rows.clear();
  }
  if (rows.count > 0) yield rows;
  const [last] = sources;
  if (last === undefined) return;
  do yield last.batch; while (nextBatch(last));
}

function placesOf({ batch }: BatchSource): Float64Array {
  return batch.columns[TAKEN] as Float64Array;
}

/** Where the next records lie, in their order: all up to the first end of a batch. */
class FoundRows {
  count = 0;
  /** Source and row of each, in their order. */
  sources = new Uint32Array(ENOUGH_ROWS);
  rows = new Uint32Array(ENOUGH_ROWS);
  /** Start and first row of each source's records, by source. */
  readonly starts: number[] = [];
  readonly firstRows: number[] = [];
  /** The place in the order of each of these. */
  places = new Uint32Array(ENOUGH_ROWS);
  #keys = new Float64Array(ENOUGH_ROWS);

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
      this.starts[place] = this.count;
      this.firstRows[place] = at;
      for (let row = at; row < end; row++) this.#keys[this.count++] = places[row] as number;
      source.at = end;
      if (end === count) ended.push(source);
    });
    this.starts[sources.length] = this.count;
    this.#order(sources.length);
    return ended;
  }

  #order(sources: number): void {
    const order = radixOrder(this.#keys.subarray(0, this.count));
    const { places } = this;
    for (let i = 0; i < order.length; i++) places[order[i] as number] = i;
    for (let source = 0; source < sources; source++) {
      const end = this.starts[source + 1] as number;
      let row = this.firstRows[source] as number;
      for (let at = this.starts[source] as number; at < end; at++, row++) {
        const place = places[at] as number;
        this.sources[place] = source;
        this.rows[place] = row;
      }
    }
  }

  #reserve(count: number): void {
    if (count <= this.#keys.length) return;
    const length = Math.max(count, 2 * this.#keys.length);
    const keys = new Float64Array(length);
    keys.set(this.#keys);
    this.#keys = keys;
    this.sources = new Uint32Array(length);
    this.rows = new Uint32Array(length);
    this.places = new Uint32Array(length);
  }
}

/** Records of several batches, put together. */
class JoinedRows implements RecordRows {
  count = 0;
  readonly agreement: SourceAgreement;
  readonly columns = Array.from(
    { length: RECORD_FIELD_COUNT },
    () => new Float64Array(2 * ENOUGH_ROWS).fill(NaN),
  );
  stampNs = new Float64Array(8 * ENOUGH_ROWS);
  stampStarts = new Uint32Array(2 * ENOUGH_ROWS + 1);
  /** The one value that a column holds all over; undefined if it does not. */
  readonly #held: (number | undefined)[] = this.columns.map(() => NaN);
  readonly #texts: RecordTexts[] = [];
  #rows = new Uint32Array(2 * ENOUGH_ROWS);
  /** Columns that are put together. */
  readonly #wanted: readonly number[];

  constructor(fields: readonly RecordField[], sources: readonly BatchSource[]) {
    this.#wanted = fields.map((field) => RECORD_FIELD[field]);
    this.agreement = new SourceAgreement(this.#wanted, sources);
  }

  clear(): void {
    this.count = 0;
  }

  /** Appends the records that were found. */
  add(sources: readonly BatchSource[], found: FoundRows): void {
    const start = this.count;
    const end = start + found.count;
    this.#reserve(end);
    for (let at = start, i = 0; at < end; at++, i++) {
      this.#rows[at] = found.rows[i] as number;
      this.#texts[at] = (sources[found.sources[i] as number] as BatchSource).batch.texts;
    }
    for (const column of this.#wanted) this.#addColumn(column, sources, found);
    this.#addStamps(sources, found);
    this.count = end;
  }

  #reserve(count: number): void {
    if (count <= this.#rows.length) return;
    const length = Math.max(count, 2 * this.#rows.length);
    this.columns.forEach((column, place) => {
      const longer = this.columns[place] = new Float64Array(length);
      const held = this.#held[place];
      if (held === undefined) longer.set(column);
      else longer.fill(held);
    });
    const { stampStarts } = this;
    this.stampStarts = new Uint32Array(length + 1);
    this.stampStarts.set(stampStarts);
    const rows = this.#rows;
    this.#rows = new Uint32Array(length);
    this.#rows.set(rows);
  }

  /** Puts values where they belong, source by source: each has its own ones one after another. */
  #addColumn(column: number, sources: readonly BatchSource[], found: FoundRows): void {
    const own = this.columns[column] as Float64Array;
    const start = this.count;
    const same = this.agreement.same(column);
    const held = this.#held[column];
    if (same !== undefined) {
      if (held !== undefined && Object.is(held, same)) return;
      const isFirst = start === 0;
      own.fill(same, start, isFirst ? own.length : start + found.count);
      this.#held[column] = isFirst ? same : undefined;
      return;
    }
    this.#held[column] = undefined;
    const { places, starts } = found;
    for (let source = 0; source < sources.length; source++) {
      const end = starts[source + 1] as number;
      let at = starts[source] as number;
      if (at === end) continue;
      const values = (sources[source] as BatchSource).batch.columns[column] as Float64Array;
      for (let row = found.firstRows[source] as number; at < end; at++, row++) {
        own[start + (places[at] as number)] = values[row] as number;
      }
    }
  }

  #addStamps(sources: readonly BatchSource[], found: FoundRows): void {
    const stamps = sources.map(({ batch }) => batch.stampNs);
    const starts = sources.map(({ batch }) => batch.stampStarts);
    const start = this.count;
    let length = start > 0 ? this.stampStarts[start] as number : 0;
    for (let i = 0; i < found.count; i++) {
      const source = found.sources[i] as number;
      const row = found.rows[i] as number;
      const ownStarts = starts[source] as Uint32Array;
      const ownStamps = stamps[source] as Float64Array;
      const last = ownStarts[row + 1] as number;
      this.stampStarts[start + i] = length;
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
    this.stampStarts[start + found.count] = length;
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

  flaw(at: number): string | undefined {
    return (this.#texts[at] as RecordTexts).flaw(this.#rows[at] as number);
  }

  flawTexts(at: number): FlawTexts | undefined {
    return (this.#texts[at] as RecordTexts).flawTexts(this.#rows[at] as number);
  }
}
