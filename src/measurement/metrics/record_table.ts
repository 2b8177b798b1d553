import { RECORD_FIELD } from "../../client/record/request_fields.ts";
import { CensoredRequests } from "./censored_requests.ts";
import { ChunkActivity } from "./chunk_activity.ts";
import { ChunkGaps } from "./chunk_gaps.ts";
import { type CountColumn, CountColumns, type CountRules } from "./count_columns.ts";
import { FieldColumns, leaveValid } from "./field_columns.ts";
import { inDialect, ItlDialectTable, tokenDivisor } from "./itl_dialects.ts";
import { NumberStore } from "../../core/statistics/number_store.ts";
import { StoredColumn } from "../../core/statistics/stored_column.ts";
import { applies, type MetricContext } from "./metric.ts";
import {
  INTER_CHUNK_LATENCY,
  isMeasured,
  receivingWholeNs,
  RECORD_METRICS,
  type RecordMetric,
  type RecordMetricTag,
} from "./record_metrics.ts";
import { isValid, latencyNs, type RequestRecord } from "./request_record.ts";
import type { TokenCount } from "./tokens_after_first_chunk.ts";
import type { Formula, RowsCursor } from "./rows_cursor.ts";
import { SessionBook } from "./session_book.ts";
import { StraddlingRequests } from "./straddling_requests.ts";

/** Facts of a run that a {@linkcode RecordTable} needs. */
export interface RecordTableOptions extends CountRules {
  readonly context: MetricContext;
  /**
   * Metrics that have a column; undefined for all that apply. Without the others, nothing is counted
   * but valid requests.
   */
  readonly only?: readonly RecordMetricTag[];
  /** Whether gaps between chunks are pooled, where they are measured. @default true */
  readonly poolsGaps?: boolean;
}

/** Tokens of a block of prefix caches where nothing reports them. */
const DEFAULT_BLOCK_TOKENS = 16;

/** The end of a valid request's last content. */
const contentEndNs = (record: RequestRecord): number => record.startNs + latencyNs(record);

const nothing = (): number => 0;

function hasTokenTimes(context: MetricContext): boolean {
  return RECORD_METRICS.some((metric) =>
    metric.tag === "inter_token_latency" && applies(metric, context)
  );
}

/**
 * The metric values of all requests of a phase, a column for each metric that has any.
 *
 * A row takes about four bytes for each metric whose values differ, and four for each inter-chunk
 * latency: about 550 bytes for a reply of a hundred chunks, 130 for a non-streamed reply.
 */
export class RecordTable extends FieldColumns {
  readonly options: RecordTableOptions;
  /** The record metrics that apply to this run. */
  readonly metrics: readonly RecordMetric[];
  /** A column for each of the metrics; undefined while no request has it. */
  readonly #columns: (StoredColumn | undefined)[];
  readonly #counts: CountColumns;
  /** End of the last content of each request; NaN for failed requests. */
  readonly contentEndNs: StoredColumn;
  /**
   * Time to receive each non-streamed reply in nanoseconds; 0 for a stream or job, NaN for a failed
   * request.
   */
  readonly receivingNs: StoredColumn;
  /** Tokens of a block of the servers' caches. */
  cacheBlockTokens: number;
  /** Names of the sessions, and how they were entered. */
  readonly sessionBook = new SessionBook();
  /**
   * Number of tokens that the time between tokens is divided by, and the limits of that number; NaN for
   * requests without a time between tokens.
   */
  readonly divisors: Readonly<Record<keyof TokenCount, StoredColumn>>;
  /** All gaps between chunks. */
  readonly chunkGaps: ChunkGaps;
  /** When content arrived. */
  readonly activity = new ChunkActivity();
  /** Requests that the client ended while they waited for the server. */
  readonly censored = new CensoredRequests();
  /** Requests of the run that are no rows of this table, as they started before or after its part. */
  readonly straddling = new StraddlingRequests();
  /** The time between tokens by every definition; undefined if it is not requested. */
  readonly itlDialects: ItlDialectTable | undefined;
  readonly #store: NumberStore;
  readonly #receivedNs: Formula;
  /** Divisors that are kept: a table of some metrics has no limits, one without token times none. */
  readonly #divisors: readonly (keyof TokenCount)[];
  readonly #divisorOf: (record: RequestRecord) => TokenCount;
  #room = new Float64Array(0);
  #hasTurns = false;

  /** @param store where columns lie; in memory if there is none */
  constructor(options: RecordTableOptions, store: NumberStore = new NumberStore(undefined)) {
    super(store);
    const { context, objectives } = options;
    this.#store = store;
    this.#receivedNs = context.takesJobs === true ? nothing : receivingWholeNs;
    const column = () => new StoredColumn(store);
    this.contentEndNs = column();
    this.receivingNs = column();
    this.cacheBlockTokens = context.cacheBlockTokens ?? DEFAULT_BLOCK_TOKENS;
    this.divisors = { tokens: column(), least: column(), most: column() };
    this.#divisorOf = tokenDivisor(context.itlDialect);
    const { only } = options;
    this.#divisors = !hasTokenTimes(context)
      ? []
      : only === undefined
      ? ["tokens", "least", "most"]
      : ["tokens"];
    const { poolsGaps = true } = options;
    this.chunkGaps = new ChunkGaps(column(), poolsGaps && applies(INTER_CHUNK_LATENCY, context));
    this.metrics = RECORD_METRICS.filter((metric) =>
      applies(metric, context) && (only === undefined || only.includes(metric.tag))
    )
      .map((metric) => inDialect(metric, context.itlDialect));
    this.#columns = this.metrics.map(() => undefined);
    this.options = {
      ...options,
      // They judge by the very metrics of the run.
      objectives: objectives.map((objective) => ({
        ...objective,
        metric: this.metrics.find(({ tag }) => tag === objective.metric.tag) ?? objective.metric,
      })),
    };
    this.#counts = new CountColumns(this.options, this.metrics, column);
    this.itlDialects = context.itlDialects === true ? new ItlDialectTable() : undefined;
  }

  get validCount(): number {
    return this.#counts.validCount;
  }

  /** Requests that count neither way. */
  get cancelledCount(): number {
    return this.#counts.cancelledCount;
  }

  /** Number of cancelled requests that were ended on purpose. */
  get cancelledOnPurpose(): number {
    return this.#counts.cancelledOnPurpose;
  }

  /** Values of a record metric by row, NaN where a request has none; undefined if no request has. */
  column(tag: RecordMetricTag): Float64Array | undefined {
    return this.storedColumn(tag)?.values;
  }

  /** {@linkcode column} in an array of the caller's, which the table does not keep. */
  copyOf(tag: RecordMetricTag): Float64Array | undefined {
    return this.storedColumn(tag)?.copy();
  }

  /** {@linkcode column} as it is kept. */
  storedColumn(tag: RecordMetricTag): StoredColumn | undefined {
    const column = this.#columns[this.metrics.findIndex((metric) => metric.tag === tag)];
    column?.padTo(this.length);
    return column;
  }

  /** Releases columns that were requested and can be read back. */
  release(): void {
    this.#store.release();
  }

  /** A column of 0 and 1 by row. */
  counts(name: CountColumn): Float64Array {
    return this.#counts.values(name);
  }

  /** How many rows have a 1 in a column of 0 and 1. */
  countOf(name: CountColumn): number {
    return this.#counts.of(name);
  }

  /** Input tokens of failed requests by row, NaN of others. */
  get errorIsl(): StoredColumn {
    return this.#counts.errorIsl;
  }

  /** Whether a session has more than one request. */
  get hasTurns(): boolean {
    return this.#hasTurns;
  }

  /**
   * Adds a request.
   * @param values receives the value of each of {@linkcode metrics}, NaN where there is none
   */
  add(record: RequestRecord, values: Float64Array): void {
    const row = this.length;
    const valid = isValid(record);
    this.addFields(record, valid);
    this.contentEndNs.push(valid ? contentEndNs(record) : NaN);
    this.receivingNs.push(valid ? this.#receivedNs(record) : NaN);
    if (this.#divisors.length > 0) {
      const divisor = valid ? this.#divisorOf(record) : undefined;
      for (const name of this.#divisors) this.divisors[name].push(divisor?.[name] ?? NaN);
    }
    if (valid) {
      this.#addValues(record, row, values);
    } else {
      this.metrics.forEach((metric, index) => {
        values[index] = isMeasured(metric, record) ? metric.value(record) : NaN;
      });
    }
    if (record.turns > 1) this.#hasTurns = true;
    if (valid) this.itlDialects?.add(record);
    this.#counts.add(record, valid);
    this.chunkGaps.add(record, valid);
    this.activity.add(record);
    if (!valid) this.censored.add(record, row);
  }

  /**
   * Adds the requests of a cursor from one up to another: what {@linkcode add} does to each, one
   * column after another.
   */
  addRows(cursor: RowsCursor, start: number, end: number): void {
    const { rows } = cursor;
    const row = this.length;
    const count = end - start;
    const kinds = (rows.columns[RECORD_FIELD.errorKind] as Float64Array).subarray(start, end);
    const areValid = (rows.same(RECORD_FIELD.errorKind) ?? 0) < 0 ||
      kinds.every((kind) => kind < 0);
    const values = this.#reserved(count);
    /** Values of a formula, NaN for requests that are not valid. */
    const ofValid = (formula: (record: RequestRecord) => number): Float64Array => {
      cursor.valuesInto(formula, values, start, end);
      if (!areValid) leaveValid(values, kinds);
      return values;
    };
    this.addFieldRows(cursor, start, end, areValid, values);
    this.contentEndNs.pushAll(ofValid(contentEndNs));
    const received = areValid ? cursor.same(this.#receivedNs) : undefined;
    if (received === undefined) this.receivingNs.pushAll(ofValid(this.#receivedNs));
    else this.receivingNs.pushSame(received, count);
    this.#addDivisors(cursor, start, end, kinds);
    this.metrics.forEach((metric, index) => {
      let column = this.#columns[index];
      const same = areValid ? cursor.same(metric.value) : undefined;
      if (same !== undefined) {
        if (column === undefined && Number.isNaN(same)) return;
        column ??= this.#columns[index] = new StoredColumn(this.#store);
        column.padTo(row);
        column.pushSame(same, count);
        return;
      }
      const found = ofValid(metric.value);
      if (column === undefined && found.every(Number.isNaN)) return;
      column ??= this.#columns[index] = new StoredColumn(this.#store);
      column.padTo(row);
      column.pushAll(found);
    });
    this.#counts.validCount += areValid
      ? count
      : kinds.reduce((n, kind) => kind < 0 ? n + 1 : n, 0);
    if (this.options.only === undefined) this.#addOthers(cursor, row, start, end, areValid);
    this.chunkGaps.addRows(rows, start, end, this.#reserved(count));
  }

  #addDivisors(cursor: RowsCursor, start: number, end: number, kinds: Float64Array): void {
    if (this.#divisors.length === 0) return;
    const values = this.#divisors.map(() => new Float64Array(end - start).fill(NaN));
    const { record } = cursor;
    for (let at = start; at < end; at++) {
      if (!((kinds[at - start] as number) < 0)) continue;
      cursor.at = at;
      const divisor = this.#divisorOf(record);
      this.#divisors.forEach((name, index) => {
        (values[index] as Float64Array)[at - start] = divisor[name];
      });
    }
    this.#divisors.forEach((name, index) => {
      this.divisors[name].pushAll(values[index] as Float64Array);
    });
  }

  /** Adds requests that started outside of this table's part of the run, from one up to another. */
  addStraddling(cursor: RowsCursor, start: number, end: number): void {
    const { record, rows } = cursor;
    this.activity.addRows(rows, start, end);
    for (let at = start; at < end; at++) {
      cursor.at = at;
      this.straddling.add(record, isValid(record) && this.#counts.isGood(record));
    }
  }

  /**
   * End of the last request: of its last content, or of a failed one of the request itself.
   * @param rows undefined for all
   */
  lastEndNs(rows?: readonly number[]): number {
    const [ends, contentEnds] = [this.allEndNs.values, this.contentEndNs.values];
    let last = -Infinity;
    const count = rows?.length ?? this.length;
    for (let at = 0; at < count; at++) {
      const row = rows === undefined ? at : rows[at] as number;
      const contentEnd = contentEnds[row] as number;
      const end = Number.isNaN(contentEnd) ? ends[row] as number : contentEnd;
      if (end > last) last = end;
    }
    return last;
  }

  /** Adds what is no value of a metric. */
  #addOthers(
    cursor: RowsCursor,
    row: number,
    start: number,
    end: number,
    areValid: boolean,
  ): void {
    const { record, rows } = cursor;
    this.activity.addRows(rows, start, end);
    for (let at = start; !areValid && at < end; at++) {
      cursor.at = at;
      if (!isValid(record)) this.censored.add(record, row + at - start);
    }
    const turns = rows.columns[RECORD_FIELD.turns] as Float64Array;
    const sameTurns = rows.same(RECORD_FIELD.turns);
    this.#hasTurns ||= sameTurns === undefined
      ? turns.subarray(start, end).some((count) => count > 1)
      : sameTurns > 1;
    if (this.itlDialects !== undefined) {
      for (let at = start; at < end; at++) {
        cursor.at = at;
        if (areValid || isValid(record)) this.itlDialects.add(record);
      }
    }
    this.#counts.addRows(cursor, start, end, areValid);
  }

  /** Room for values, which the next call gives again. */
  #reserved(count: number): Float64Array {
    if (this.#room.length < count) this.#room = new Float64Array(count);
    return this.#room.subarray(0, count);
  }

  #addValues(record: RequestRecord, row: number, values: Float64Array): void {
    const { metrics } = this;
    const columns = this.#columns;
    for (let index = 0; index < metrics.length; index++) {
      const value = (metrics[index] as RecordMetric).value(record);
      values[index] = value;
      if (Number.isNaN(value)) continue;
      const column = columns[index] ??= new StoredColumn(this.#store);
      if (column.length < row) column.padTo(row);
      column.push(value);
    }
  }
}
