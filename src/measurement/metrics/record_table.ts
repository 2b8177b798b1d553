/**
 * Columns of all requests of a phase. The file is longer than others because each way to add requests
 * must fill all columns alike.
 */

import { RECORD_FIELD, type RecordField } from "../../client/record/request_fields.ts";
import { CensoredRequests } from "./censored_requests.ts";
import { ChunkActivity } from "./chunk_activity.ts";
import { ChunkGaps } from "./chunk_gaps.ts";
import { type CountColumn, CountColumns, type CountRules } from "./count_columns.ts";
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

/** A column, and the field of a record that it keeps. */
type KeptField = readonly [column: StoredColumn, field: RecordField];

/** The end of a valid request's last content. */
/** Tokens of a block of prefix caches where nothing reports them. */
const DEFAULT_BLOCK_TOKENS = 16;

const contentEndNs = (record: RequestRecord): number => record.startNs + latencyNs(record);

const nothing = (): number => 0;

function hasTokenTimes(context: MetricContext): boolean {
  return RECORD_METRICS.some((metric) =>
    metric.tag === "inter_token_latency" && applies(metric, context)
  );
}

/** Puts NaN where a request is not valid. */
function leaveValid(values: Float64Array, kinds: Float64Array): void {
  for (let i = 0; i < values.length; i++) if (!((kinds[i] as number) < 0)) values[i] = NaN;
}

/**
 * The metric values of all requests of a phase, a column for each metric that has any.
 *
 * A row takes about four bytes for each metric whose values differ, and four for each inter-chunk
 * latency: about 550 bytes for a reply of a hundred chunks, 130 for a non-streamed reply.
 */
export class RecordTable {
  readonly options: RecordTableOptions;
  /** The record metrics that apply to this run. */
  readonly metrics: readonly RecordMetric[];
  /** A column for each of the metrics; undefined while no request has it. */
  readonly #columns: (StoredColumn | undefined)[];
  readonly #counts: CountColumns;
  /** Start of each request, and the end of its last content; NaN for failed requests. */
  readonly startNs: StoredColumn;
  readonly contentEndNs: StoredColumn;
  /** Starts and ends of all requests, failed ones too. */
  readonly allStartNs: StoredColumn;
  readonly allEndNs: StoredColumn;
  /** Intended start of each request. */
  readonly intendedNs: StoredColumn;
  /** Number of the session of each request. */
  readonly sessions: StoredColumn;
  /** Index into the kinds of errors; -1 for a valid request. */
  readonly errorKinds: StoredColumn;
  /** Upper bound of the read delay of each request's first, second and last chunk. */
  readonly waits: Readonly<Record<"first" | "second" | "last", StoredColumn>>;
  /** How long before their reads others began to leave something unread; 0 for not at all. */
  readonly piled: Readonly<Record<"first" | "second" | "last", StoredColumn>>;
  /**
   * Time to receive each non-streamed reply in nanoseconds; 0 for a stream or job, NaN for a failed
   * request.
   */
  readonly receivingNs: StoredColumn;
  /** The load worker of each request. */
  readonly workers: StoredColumn;
  /** Number of the model of each request; NaN where it is not known. */
  readonly models: StoredColumn;
  /** Place of each request in its session, and the turns of that; NaN where it is not known. */
  readonly turns: StoredColumn;
  readonly sessionTurns: StoredColumn;
  /** Who worked before each request, as a place in GAP_CLASSES; NaN for first turns. */
  readonly gapClasses: StoredColumn;
  /** Event after which each request became due: see REQUEST_FIELDS. */
  readonly waitedFor: StoredColumn;
  /** Lateness of each request: see REQUEST_FIELDS. */
  readonly lateNs: StoredColumn;
  /** Number of the agent of each request within its session, and levels of agents above it. */
  readonly agents: StoredColumn;
  readonly depths: StoredColumn;
  /** 1 for requests that the user of their session does not wait for. */
  readonly backgrounds: StoredColumn;
  /** Input tokens that earlier requests of each session had; see RECORD_FIELDS. */
  readonly sharedTokens: StoredColumn;
  /** 1 for requests that do not continue the prompt before them. */
  readonly resets: StoredColumn;
  /** Replies that were replaced by recorded ones, and how far idle caps had moved each session. */
  readonly diverged: StoredColumn;
  readonly idleCutNs: StoredColumn;
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
  /** Columns that keep a field of all records unchanged, and those of only valid requests. */
  readonly #ofAll: readonly KeptField[];
  readonly #ofValid: readonly KeptField[];
  readonly #store: NumberStore;
  readonly #receivedNs: Formula;
  /** Divisors that are kept: a table of some metrics has no limits, one without token times none. */
  readonly #divisors: readonly (keyof TokenCount)[];
  readonly #divisorOf: (record: RequestRecord) => TokenCount;
  #room = new Float64Array(0);
  #hasTurns = false;

  /** @param store where columns lie; in memory if there is none */
  constructor(options: RecordTableOptions, store: NumberStore = new NumberStore(undefined)) {
    const { context, objectives } = options;
    this.#store = store;
    this.#receivedNs = context.takesJobs === true ? nothing : receivingWholeNs;
    const column = () => new StoredColumn(store);
    this.startNs = column();
    this.contentEndNs = column();
    this.allStartNs = column();
    this.allEndNs = column();
    this.intendedNs = column();
    this.sessions = column();
    this.errorKinds = column();
    this.waits = { first: column(), second: column(), last: column() };
    this.piled = { first: column(), second: column(), last: column() };
    this.receivingNs = column();
    this.workers = column();
    this.models = column();
    this.turns = column();
    this.sessionTurns = column();
    this.gapClasses = column();
    this.waitedFor = column();
    this.lateNs = column();
    this.agents = column();
    this.depths = column();
    this.backgrounds = column();
    this.sharedTokens = column();
    this.resets = column();
    this.diverged = column();
    this.idleCutNs = column();
    this.cacheBlockTokens = context.cacheBlockTokens ?? DEFAULT_BLOCK_TOKENS;
    this.divisors = { tokens: column(), least: column(), most: column() };
    this.#divisorOf = tokenDivisor(context.itlDialect);
    const { only } = options;
    this.#divisors = !hasTokenTimes(context)
      ? []
      : only === undefined
      ? ["tokens", "least", "most"]
      : ["tokens"];
    this.#ofAll = [
      [this.allStartNs, "startNs"],
      [this.allEndNs, "endNs"],
      [this.intendedNs, "intendedNs"],
      [this.sessions, "session"],
      [this.errorKinds, "errorKind"],
      [this.workers, "worker"],
      [this.models, "model"],
      [this.turns, "turn"],
      [this.sessionTurns, "turns"],
      [this.gapClasses, "gapClass"],
      [this.waitedFor, "waitedFor"],
      [this.lateNs, "lateNs"],
      [this.agents, "agent"],
      [this.depths, "depth"],
      [this.backgrounds, "isBackground"],
      [this.sharedTokens, "sharedTokens"],
      [this.resets, "isReset"],
      [this.diverged, "diverged"],
      [this.idleCutNs, "idleCutNs"],
    ];
    this.#ofValid = [
      [this.startNs, "startNs"],
      ...(["first", "second", "last"] as const).flatMap((kind): KeptField[] => [
        [this.waits[kind], `${kind}WaitNs`],
        [this.piled[kind], `${kind}PiledNs`],
      ]),
    ];
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

  /** Requests, however they ended. */
  get length(): number {
    return this.allStartNs.length;
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
    for (const [column, field] of this.#ofAll) column.push(record[field]);
    for (const [column, field] of this.#ofValid) column.push(valid ? record[field] : NaN);
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
    const { rows: { columns } } = cursor;
    const row = this.length;
    const count = end - start;
    const of = (field: RecordField) =>
      (columns[RECORD_FIELD[field]] as Float64Array).subarray(start, end);
    const kinds = of("errorKind");
    const { rows } = cursor;
    const areValid = (rows.same(RECORD_FIELD.errorKind) ?? 0) < 0 ||
      kinds.every((kind) => kind < 0);
    const values = this.#reserved(count);
    /** Values of a formula, NaN for requests that are not valid. */
    const ofValid = (formula: (record: RequestRecord) => number): Float64Array => {
      cursor.valuesInto(formula, values, start, end);
      if (!areValid) leaveValid(values, kinds);
      return values;
    };
    const pushField = (column: StoredColumn, field: RecordField, ofAll: boolean): void => {
      const same = ofAll ? rows.same(RECORD_FIELD[field]) : undefined;
      if (same !== undefined) return column.pushSame(same, count);
      const own = of(field);
      if (ofAll) return column.pushAll(own);
      values.set(own);
      leaveValid(values, kinds);
      column.pushAll(values);
    };
    for (const [column, field] of this.#ofAll) pushField(column, field, true);
    for (const [column, field] of this.#ofValid) pushField(column, field, areValid);
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
