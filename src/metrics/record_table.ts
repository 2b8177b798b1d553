import { RECORD_FIELD, type RecordField } from "../record/request_fields.ts";
import { isLengthMismatch, type Thresholds } from "./thresholds.ts";
import { ChunkGaps } from "./chunk_gaps.ts";
import { inDialect, ItlDialectTable } from "./itl_dialects.ts";
import { NumberStore } from "../statistics/number_store.ts";
import { StoredColumn } from "../statistics/stored_column.ts";
import { applies, type MetricContext } from "./metric.ts";
import { isGood, type ResolvedObjective } from "./objectives.ts";
import {
  completionDiffPct,
  ERROR_ISL,
  INTER_CHUNK_LATENCY,
  isMeasured,
  promptDiffPct,
  reasoningDiffPct,
  receivingWholeNs,
  RECORD_METRICS,
  type RecordMetric,
  type RecordMetricTag,
} from "./record_metrics.ts";
import {
  isCancelled,
  isCancelledOnPurpose,
  isValid,
  latencyNs,
  outputSequenceLength,
  type RequestRecord,
} from "./request_record.ts";
import type { Formula, RowsCursor } from "./rows_cursor.ts";

/** Facts of a run that a {@linkcode RecordTable} needs. */
export interface RecordTableOptions {
  readonly context: MetricContext;
  readonly objectives: readonly ResolvedObjective[];
  readonly thresholds: Thresholds;
  /**
   * Metrics that have a column; undefined for all that apply. Without the others, nothing is counted
   * but valid requests.
   */
  readonly only?: readonly RecordMetricTag[];
  /** Whether gaps between chunks are pooled, where they are measured. @default true */
  readonly poolsGaps?: boolean;
}

/** Columns of 0 and 1 that counts are sums of. */
export type CountColumn = "cancelled" | "good" | "usageDiscrepancy" | "oslMismatch";

/** The end of a valid request's last content. */
const contentEndNs = (record: RequestRecord): number => record.startNs + latencyNs(record);

const nothing = (): number => 0;

/** Puts NaN where a request is not valid. */
function leaveValid(values: Float64Array, kinds: Float64Array): void {
  for (let i = 0; i < values.length; i++) if (!((kinds[i] as number) < 0)) values[i] = NaN;
}

/**
 * The metric values of all requests of a phase, a column for each metric that has any.
 *
 * A row takes about four bytes for each metric whose values differ, and four for each gap between
 * chunks: about 550 bytes for a reply of a hundred chunks, 130 for one that came in one piece.
 */
export class RecordTable {
  readonly options: RecordTableOptions;
  /** The record metrics that apply to this run. */
  readonly metrics: readonly RecordMetric[];
  /** A column for each of the metrics; undefined while no request has it. */
  readonly #columns: (StoredColumn | undefined)[];
  readonly #counts: Record<CountColumn, StoredColumn>;
  /** Start of each request, and the end of its last content; NaN for failed requests. */
  readonly startNs: StoredColumn;
  readonly contentEndNs: StoredColumn;
  /** Starts and ends of all requests, failed ones too. */
  readonly allStartNs: StoredColumn;
  readonly allEndNs: StoredColumn;
  /** Index into the kinds of errors; -1 for a valid request. */
  readonly errorKinds: StoredColumn;
  /** Most that the first, second and last chunk of each request can have lain unread. */
  readonly waits: Readonly<Record<"first" | "second" | "last", StoredColumn>>;
  /** How long before their reads others began to leave something unread; 0 for not at all. */
  readonly piled: Readonly<Record<"first" | "second" | "last", StoredColumn>>;
  /** How long each reply in one piece was received; 0 of a stream or job, NaN of a failed request. */
  readonly receivingNs: StoredColumn;
  /** The load worker of each request. */
  readonly workers: StoredColumn;
  /** Number of the model of each request; NaN where it is not known. */
  readonly models: StoredColumn;
  /** Place of each request in its session, and the turns of that; NaN where it is not known. */
  readonly turns: StoredColumn;
  readonly sessionTurns: StoredColumn;
  readonly errorIsl: StoredColumn;
  /** All gaps between chunks. */
  readonly chunkGaps: ChunkGaps;
  /** The time between tokens by every definition; undefined if nobody wants it. */
  readonly itlDialects: ItlDialectTable | undefined;
  readonly #store: NumberStore;
  readonly #receivedNs: Formula;
  readonly #counted: Record<CountColumn, number> = {
    cancelled: 0,
    good: 0,
    usageDiscrepancy: 0,
    oslMismatch: 0,
  };
  #room = new Float64Array(0);
  #hasTurns = false;
  #validCount = 0;
  #cancelledCount = 0;
  #cancelledOnPurpose = 0;

  /** @param store where columns lie; in memory if there is none */
  constructor(options: RecordTableOptions, store: NumberStore = new NumberStore(undefined)) {
    const { context, objectives } = options;
    this.#store = store;
    this.#receivedNs = context.takesJobs === true ? nothing : receivingWholeNs;
    const column = () => new StoredColumn(store);
    this.#counts = {
      ...{ cancelled: column(), good: column(), usageDiscrepancy: column(), oslMismatch: column() },
    };
    this.startNs = column();
    this.contentEndNs = column();
    this.allStartNs = column();
    this.allEndNs = column();
    this.errorKinds = column();
    this.waits = { first: column(), second: column(), last: column() };
    this.piled = { first: column(), second: column(), last: column() };
    this.receivingNs = column();
    this.workers = column();
    this.models = column();
    this.turns = column();
    this.sessionTurns = column();
    this.errorIsl = column();
    const { only, poolsGaps = true } = options;
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
    this.itlDialects = context.itlDialects === true ? new ItlDialectTable() : undefined;
  }

  /** Requests, however they ended. */
  get length(): number {
    return this.allStartNs.length;
  }

  get validCount(): number {
    return this.#validCount;
  }

  /** Requests that count neither way. */
  get cancelledCount(): number {
    return this.#cancelledCount;
  }

  /** Those of them that were ended on purpose. */
  get cancelledOnPurpose(): number {
    return this.#cancelledOnPurpose;
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

  /** Lets go of columns that were asked for and can be read again. */
  release(): void {
    this.#store.release();
  }

  /** A column of 0 and 1 by row. */
  counts(name: CountColumn): Float64Array {
    return this.#counts[name].values;
  }

  /** How many rows have a 1 in a column of 0 and 1. */
  countOf(name: CountColumn): number {
    return this.#counted[name];
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
    this.allStartNs.push(record.startNs);
    this.allEndNs.push(record.endNs);
    this.errorKinds.push(record.errorKind);
    this.workers.push(record.worker);
    this.models.push(record.model);
    this.turns.push(record.turn);
    this.sessionTurns.push(record.turns);
    this.startNs.push(valid ? record.startNs : NaN);
    this.contentEndNs.push(valid ? contentEndNs(record) : NaN);
    this.waits.first.push(valid ? record.firstWaitNs : NaN);
    this.waits.second.push(valid ? record.secondWaitNs : NaN);
    this.waits.last.push(valid ? record.lastWaitNs : NaN);
    this.piled.first.push(valid ? record.firstPiledNs : NaN);
    this.piled.second.push(valid ? record.secondPiledNs : NaN);
    this.piled.last.push(valid ? record.lastPiledNs : NaN);
    this.receivingNs.push(valid ? this.#receivedNs(record) : NaN);
    if (valid) {
      this.#addValues(record, row, values);
    } else {
      this.metrics.forEach((metric, index) => {
        values[index] = isMeasured(metric, record) ? metric.value(record) : NaN;
      });
    }
    this.#countEnd(record, valid);
    this.#countContent(record, valid);
    this.chunkGaps.add(record, valid);
  }

  /** Counts how a request ended. */
  #countEnd(record: RequestRecord, valid: boolean): void {
    const cancelled = isCancelled(record);
    if (valid) this.#validCount++;
    if (cancelled) this.#cancelledCount++;
    if (isCancelledOnPurpose(record)) this.#cancelledOnPurpose++;
    this.errorIsl.push(valid || cancelled ? NaN : ERROR_ISL.value(record));
    this.#count("cancelled", cancelled);
  }

  /** Counts what a request was, and whether its reply is as it should be. */
  #countContent(record: RequestRecord, valid: boolean): void {
    if (valid) this.itlDialects?.add(record);
    if (record.turns > 1) this.#hasTurns = true;
    this.#count("good", valid && isGood(record, this.options.objectives, this.metrics));
    this.#count("usageDiscrepancy", valid && this.#isDiscrepant(record));
    this.#count("oslMismatch", valid && this.#isMismatch(record));
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
    pushField(this.allStartNs, "startNs", true);
    pushField(this.allEndNs, "endNs", true);
    pushField(this.errorKinds, "errorKind", true);
    pushField(this.workers, "worker", true);
    pushField(this.models, "model", true);
    pushField(this.turns, "turn", true);
    pushField(this.sessionTurns, "turns", true);
    pushField(this.startNs, "startNs", areValid);
    this.contentEndNs.pushAll(ofValid(contentEndNs));
    pushField(this.waits.first, "firstWaitNs", areValid);
    pushField(this.waits.second, "secondWaitNs", areValid);
    pushField(this.waits.last, "lastWaitNs", areValid);
    pushField(this.piled.first, "firstPiledNs", areValid);
    pushField(this.piled.second, "secondPiledNs", areValid);
    pushField(this.piled.last, "lastPiledNs", areValid);
    const received = areValid ? cursor.same(this.#receivedNs) : undefined;
    if (received === undefined) this.receivingNs.pushAll(ofValid(this.#receivedNs));
    else this.receivingNs.pushSame(received, count);
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
    if (this.options.only !== undefined) {
      for (const kind of kinds) if (kind < 0) this.#validCount++;
    } else this.#addCounts(cursor, start, end, areValid);
    this.chunkGaps.addRows(rows, start, end, this.#reserved(count));
  }

  #addCounts(cursor: RowsCursor, start: number, end: number, areValid: boolean): void {
    const { record } = cursor;
    const { objectives } = this.options;
    if (areValid) {
      this.#validCount += end - start;
      this.errorIsl.pushSame(NaN, end - start);
      this.#counts.cancelled.pushSame(0, end - start);
    }
    const isOneTurn = (cursor.rows.same(RECORD_FIELD.turns) ?? 2) <= 1;
    const [isDiscrepant, isMismatch] = [
      (record: RequestRecord) => this.#isDiscrepant(record) ? 1 : 0,
      (record: RequestRecord) => this.#isMismatch(record) ? 1 : 0,
    ];
    // Where all rows say the same, the counts do.
    const same = areValid && this.itlDialects === undefined && isOneTurn && objectives.length === 0
      ? [cursor.same(isDiscrepant), cursor.same(isMismatch)] as const
      : undefined;
    if (same !== undefined) {
      this.#counts.good.pushSame(1, end - start);
      this.#counted.good += end - start;
      this.#countAll("usageDiscrepancy", cursor, start, end, same[0], isDiscrepant);
      this.#countAll("oslMismatch", cursor, start, end, same[1], isMismatch);
      return;
    }
    for (let at = start; at < end; at++) {
      cursor.at = at;
      const valid = areValid || isValid(record);
      if (!areValid) this.#countEnd(record, valid);
      this.#countContent(record, valid);
    }
  }

  /** Counts by a formula that gives 0 or 1, all at once where it gives the same for all. */
  #countAll(
    name: CountColumn,
    cursor: RowsCursor,
    start: number,
    end: number,
    same: number | undefined,
    formula: (record: RequestRecord) => number,
  ): void {
    if (same !== undefined) {
      this.#counts[name].pushSame(same, end - start);
      this.#counted[name] += same * (end - start);
      return;
    }
    for (let at = start; at < end; at++) {
      cursor.at = at;
      this.#count(name, formula(cursor.record) === 1);
    }
  }

  /** Room for values, which the next call gives again. */
  #reserved(count: number): Float64Array {
    if (this.#room.length < count) this.#room = new Float64Array(count);
    return this.#room.subarray(0, count);
  }

  #count(name: CountColumn, isSo: boolean): void {
    this.#counts[name].push(isSo ? 1 : 0);
    if (isSo) this.#counted[name]++;
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

  #isDiscrepant(record: RequestRecord): boolean {
    const limit = this.options.thresholds.usageDiffPct;
    const prompt = promptDiffPct(record);
    const completion = completionDiffPct(record);
    if (Number.isNaN(prompt) || Number.isNaN(completion)) return false;
    return prompt > limit || completion > limit || reasoningDiffPct(record) > limit;
  }

  #isMismatch(record: RequestRecord): boolean {
    const { thresholds } = this.options;
    return isLengthMismatch(outputSequenceLength(record), record.requestedTokens, thresholds);
  }
}
