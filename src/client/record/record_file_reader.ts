import {
  type BlockFileHead,
  BlockFileReader,
  type ByteSource,
} from "../../core/block_file/block_file.ts";
import { ByteReader } from "../../core/block_file/byte_reader.ts";
import { RecordBatch } from "./record_batch.ts";
import { RECORD_FORMAT, RECORD_VERSION, type StoredRecord } from "./record_file.ts";
import {
  FIELD,
  RECORD_FIELD,
  RECORD_FIELD_COUNT,
  RECORD_FIELDS,
  type RecordField,
} from "./request_fields.ts";

/** Fields without which a record's timestamps and position are unknown. */
const ALWAYS_READ: readonly RecordField[] = ["startNs", "endNs", "chunkCount", "takenNs"];

/** Reads the records of a file in the order in which they were written. */
export class RecordFileReader {
  readonly #file: BlockFileReader;
  readonly #columns: readonly (number | undefined)[];

  /** @throws {BlockFileError} if it is no file of records, or one of a newer version */
  constructor(source: ByteSource) {
    this.#file = new BlockFileReader(source, RECORD_FORMAT, RECORD_VERSION);
    this.#columns = columnsOf(this.#file.head);
  }

  /** ID of the run that wrote the file; undefined in files of earlier versions. */
  get run(): string | undefined {
    return this.#file.head.run;
  }

  /**
   * Whether records are missing, as a block was damaged or its writer ended in the middle of it;
   * known when all were read.
   */
  get lacksRecords(): boolean {
    return this.#file.lacksBlocks;
  }

  /**
   * Yields the records block by block, in one batch that is refilled.
   * @param shiftNs added to every time
   * @param fields fields to read in addition to those of every batch; undefined for all
   */
  *batches(shiftNs = 0, fields?: readonly RecordField[]): Generator<RecordBatch> {
    const batch = new RecordBatch();
    const columns = fields === undefined ? this.#columns : this.#columnsOf(fields);
    for (const block of this.#file.blocks()) {
      batch.fill(new ByteReader(block), columns, shiftNs);
      yield batch;
    }
  }

  #columnsOf(fields: readonly RecordField[]): (number | undefined)[] {
    const wanted = new Set([...ALWAYS_READ, ...fields].map((field) => RECORD_FIELD[field]));
    return this.#columns.map((column) =>
      column !== undefined && wanted.has(column) ? column : undefined
    );
  }

  /** The records; each is valid until the next one. */
  *records(): Generator<StoredRecord> {
    for (const batch of this.batches()) {
      for (let at = 0; at < batch.count; at++) yield storedRecord(batch, at);
    }
  }
}

/** A record of a batch with its numbers in a row of its own. */
export function storedRecord(batch: RecordBatch, at: number): StoredRecord {
  const row = new Float64Array(RECORD_FIELD_COUNT);
  for (let column = 0; column < RECORD_FIELD_COUNT; column++) {
    row[column] = (batch.columns[column] as Float64Array)[at] as number;
  }
  const first = batch.stampStarts[at] as number;
  const flaw = batch.flaw(at);
  const flawTexts = batch.flawTexts(at);
  return {
    row,
    chunkNs: batch.stampNs.slice(first, first + (row[FIELD.chunkCount] || 0)),
    requestId: batch.requestId(at),
    finishReason: batch.finishReason(at),
    error: batch.error(at),
    ...(flaw === undefined ? {} : { flaw }),
    ...(flawTexts === undefined ? {} : { flawTexts }),
  };
}

/** Our columns of the file's columns, undefined for those that are not known here. */
function columnsOf({ columns }: BlockFileHead): (number | undefined)[] {
  const names: readonly string[] = RECORD_FIELDS;
  return (columns as readonly string[]).map((name) => {
    const column = names.indexOf(name);
    return column < 0 ? undefined : column;
  });
}
