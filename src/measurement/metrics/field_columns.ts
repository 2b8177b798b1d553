import { RECORD_FIELD, type RecordField } from "../../client/record/request_fields.ts";
import type { NumberStore } from "../../core/statistics/number_store.ts";
import { StoredColumn } from "../../core/statistics/stored_column.ts";
import type { RequestRecord } from "./request_record.ts";
import type { RowsCursor } from "./rows_cursor.ts";

/** A column, and the field of a record that it keeps. */
type KeptField = readonly [column: StoredColumn, field: RecordField];
type ChunkColumns = Readonly<Record<"first" | "second" | "last", StoredColumn>>;

/** Puts NaN where a request is not valid. */
export function leaveValid(values: Float64Array, kinds: Float64Array): void {
  for (let i = 0; i < values.length; i++) if (!((kinds[i] as number) < 0)) values[i] = NaN;
}

/** Columns that keep a field of the records of a phase unchanged, a row for each request. */
export class FieldColumns {
  /** Start of each request; NaN for failed requests. */
  readonly startNs: StoredColumn;
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
  readonly waits: ChunkColumns;
  /** How long before their reads others began to leave something unread; 0 for not at all. */
  readonly piled: ChunkColumns;
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
  /** Columns of all records, and those of only valid requests. */
  readonly #ofAll: KeptField[] = [];
  readonly #ofValid: KeptField[] = [];

  constructor(store: NumberStore) {
    const kept = (field: RecordField, fields = this.#ofAll): StoredColumn => {
      const column = new StoredColumn(store);
      fields.push([column, field]);
      return column;
    };
    const ofChunks = (end: "WaitNs" | "PiledNs"): ChunkColumns => ({
      first: kept(`first${end}`, this.#ofValid),
      second: kept(`second${end}`, this.#ofValid),
      last: kept(`last${end}`, this.#ofValid),
    });
    this.startNs = kept("startNs", this.#ofValid);
    this.allStartNs = kept("startNs");
    this.allEndNs = kept("endNs");
    this.intendedNs = kept("intendedNs");
    this.sessions = kept("session");
    this.errorKinds = kept("errorKind");
    this.waits = ofChunks("WaitNs");
    this.piled = ofChunks("PiledNs");
    this.workers = kept("worker");
    this.models = kept("model");
    this.turns = kept("turn");
    this.sessionTurns = kept("turns");
    this.gapClasses = kept("gapClass");
    this.waitedFor = kept("waitedFor");
    this.lateNs = kept("lateNs");
    this.agents = kept("agent");
    this.depths = kept("depth");
    this.backgrounds = kept("isBackground");
    this.sharedTokens = kept("sharedTokens");
    this.resets = kept("isReset");
    this.diverged = kept("diverged");
    this.idleCutNs = kept("idleCutNs");
  }

  /** Requests, however they ended. */
  get length(): number {
    return this.allStartNs.length;
  }

  /** Adds the fields of a request. */
  protected addFields(record: RequestRecord, valid: boolean): void {
    for (const [column, field] of this.#ofAll) column.push(record[field]);
    for (const [column, field] of this.#ofValid) column.push(valid ? record[field] : NaN);
  }

  /**
   * Adds the fields of the requests of a cursor from one up to another.
   * @param areValid whether all of them are
   * @param room for as many values
   */
  protected addFieldRows(
    { rows }: RowsCursor,
    start: number,
    end: number,
    areValid: boolean,
    room: Float64Array,
  ): void {
    const of = (field: RecordField) =>
      (rows.columns[RECORD_FIELD[field]] as Float64Array).subarray(start, end);
    const pushUnchanged = ([column, field]: KeptField): void => {
      const same = rows.same(RECORD_FIELD[field]);
      if (same !== undefined) column.pushSame(same, end - start);
      else column.pushAll(of(field));
    };
    this.#ofAll.forEach(pushUnchanged);
    if (areValid) return this.#ofValid.forEach(pushUnchanged);
    for (const [column, field] of this.#ofValid) {
      room.set(of(field));
      leaveValid(room, of("errorKind"));
      column.pushAll(room);
    }
  }
}
