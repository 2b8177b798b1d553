/**
 * Canaries on disk: `run/canaries.bin`. A block holds rows of one load worker as columns, about 13
 * bytes for a canary.
 */

import {
  blockFileHead,
  BlockFileReader,
  blockPieces,
  type ByteSource,
} from "../../core/block_file/block_file.ts";
import { ByteReader } from "../../core/block_file/byte_reader.ts";
import { ByteWriter } from "../../core/block_file/byte_writer.ts";
import { readNumbers, writeNumbers } from "../../core/block_file/number_column.ts";
import { CANARY_FIELD_COUNT, CANARY_FIELDS } from "./canary_kind.ts";

const FORMAT = "inferometer-canaries";
const VERSION = 3;

/** Rows that a load worker sent. */
export interface CanaryRows {
  readonly worker: number;
  /** See {@linkcode CANARY_FIELDS}. */
  readonly rows: Float64Array;
}

/** Rows with their place among all: a time, later than that of the rows before them. */
export interface PlacedCanaryRows extends CanaryRows {
  readonly placeNs: number;
}

/**
 * The place of rows behind others: the time at which the last of them was read, or a nanosecond more
 * than the others' place. So rows of several processes can be put in order.
 * @param beforeNs place of the rows before; `-Infinity` for the first
 */
export function canaryPlace(beforeNs: number, rows: Float64Array): number {
  const readNs = rows[rows.length - 1] ?? NaN;
  if (readNs > beforeNs) return readNs;
  return beforeNs === -Infinity ? 0 : beforeNs + 1;
}

/**
 * The beginning of the file.
 * @param run ID of the run
 */
export function canaryFileHead(run?: string): Uint8Array<ArrayBuffer> {
  return blockFileHead({ format: FORMAT, version: VERSION, run, columns: CANARY_FIELDS });
}

/** The pieces of a block. */
export function canaryBlock(
  { worker, rows, placeNs }: PlacedCanaryRows,
): Uint8Array<ArrayBuffer>[] {
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
  block.float64(placeNs);
  return blockPieces(block.written);
}

/**
 * Reads the rows of a file in the order in which they were written.
 * @param onLoss is called at the end if blocks are missing
 * @param onRun is called with the ID of the run that wrote the file; undefined in earlier versions
 * @throws {BlockFileError} if it is no file of canaries, or one of a newer version
 */
export function* readCanaries(
  source: ByteSource,
  onLoss?: () => void,
  onRun?: (run: string | undefined) => void,
): Generator<PlacedCanaryRows> {
  let beforeNs = -Infinity;
  const file = new BlockFileReader(source, FORMAT, VERSION);
  onRun?.(file.head.run);
  for (const bytes of file.blocks()) {
    const block = new ByteReader(bytes);
    const worker = block.varint();
    const count = block.varint();
    const rows = new Float64Array(count * CANARY_FIELD_COUNT);
    for (let field = 0; field < CANARY_FIELD_COUNT; field++) {
      readNumbers(block, count).forEach((value, row) => {
        rows[row * CANARY_FIELD_COUNT + field] = value;
      });
    }
    // Files of earlier versions say no places.
    beforeNs = block.left > 0 ? block.float64() : canaryPlace(beforeNs, rows);
    yield { worker, rows, placeNs: beforeNs };
  }
  if (file.lacksBlocks) onLoss?.();
}
