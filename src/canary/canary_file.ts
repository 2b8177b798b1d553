/**
 * Canaries on disk: `run/canaries.bin`. A block holds rows of one load worker as columns, about 13
 * bytes for a canary.
 */

import {
  blockFileHead,
  BlockFileReader,
  blockPieces,
  type ByteSource,
} from "../block_file/block_file.ts";
import { ByteReader } from "../block_file/byte_reader.ts";
import { ByteWriter } from "../block_file/byte_writer.ts";
import { readNumbers, writeNumbers } from "../block_file/number_column.ts";
import { CANARY_FIELD_COUNT, CANARY_FIELDS } from "./canary_kind.ts";

const FORMAT = "inferometer-canaries";
const VERSION = 1;

/** Rows that a load worker sent. */
export interface CanaryRows {
  readonly worker: number;
  /** See {@linkcode CANARY_FIELDS}. */
  readonly rows: Float64Array;
}

/** The beginning of the file. */
export function canaryFileHead(): Uint8Array<ArrayBuffer> {
  return blockFileHead({ format: FORMAT, version: VERSION, columns: CANARY_FIELDS });
}

/** The pieces of a block. */
export function canaryBlock({ worker, rows }: CanaryRows): Uint8Array<ArrayBuffer>[] {
  const block = new ByteWriter();
  const count = rows.length / CANARY_FIELD_COUNT;
  block.varint(worker);
  block.varint(count);
  for (let field = 0; field < CANARY_FIELD_COUNT; field++) {
    const column = Float64Array.from(
      { length: count },
      (_, row) => rows[row * CANARY_FIELD_COUNT + field] as number,
    );
    writeNumbers(block, column);
  }
  return blockPieces(block.written);
}

/**
 * Reads the rows of a file in the order in which they were written.
 * @throws {BlockFileError} if it is no file of canaries, or one of a newer version
 */
export function* readCanaries(source: ByteSource): Generator<CanaryRows> {
  for (const bytes of new BlockFileReader(source, FORMAT, VERSION).blocks()) {
    const block = new ByteReader(bytes);
    const worker = block.varint();
    const count = block.varint();
    const rows = new Float64Array(count * CANARY_FIELD_COUNT);
    for (let field = 0; field < CANARY_FIELD_COUNT; field++) {
      readNumbers(block, count).forEach((value, row) => {
        rows[row * CANARY_FIELD_COUNT + field] = value;
      });
    }
    yield { worker, rows };
  }
}
