/**
 * Hits that caches could have had, request by request, on disk: `run/prefix_hits.bin`. With them, parts
 * of a run can be compared with the same caches. A block holds rows as columns.
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
import type { CacheSize, RequestHits } from "./ideal_hits.ts";

const FORMAT = "inferometer-prefix-hits";
const VERSION = 3;
const BLOCK_ROWS = 8192;
const COLUMNS = [
  ...["startNs", "worker", "promptTokens", "reusableTokens", "idealTokens", "lruTokens"],
  ...["concurrentTokens", "cachedTokens", "missedTokens", "missedConcurrentTokens"],
  ...["replicaTokens", "missedReplicaTokens", "elsewhereTokens", "missedElsewhereTokens"],
] as const satisfies readonly (keyof RequestHits)[];

/** Hits of requests, of caches that keep only prompts or replies as well. */
export interface StoredHits {
  readonly withReplies: boolean;
  readonly hits: readonly RequestHits[];
}

/** Contents of a file. */
export interface PrefixFile {
  readonly size: CacheSize;
  rows(): Generator<StoredHits>;
}

/**
 * The pieces of a file.
 * @param run ID of the run
 */
export function* prefixFilePieces(
  run: string,
  size: CacheSize,
  stored: readonly StoredHits[],
): Generator<Uint8Array<ArrayBuffer>> {
  const { blockSize = null, capacityTokens = null } = size;
  yield blockFileHead({
    ...{ format: FORMAT, version: VERSION, run, columns: COLUMNS, blockSize, capacityTokens },
  });
  for (const { hits, withReplies } of stored) {
    for (let start = 0; start < hits.length; start += BLOCK_ROWS) {
      const rows = hits.slice(start, start + BLOCK_ROWS);
      const block = new ByteWriter();
      block.varint(withReplies ? 1 : 0);
      block.varint(rows.length);
      for (const name of COLUMNS) writeNumbers(block, Float64Array.from(rows, (row) => row[name]));
      yield* blockPieces(block.written);
    }
  }
}

/**
 * Reads a file.
 * @throws {BlockFileError} if it is no such file, or one of a newer version
 */
export function readPrefixFile(source: ByteSource): PrefixFile {
  const file = new BlockFileReader(source, FORMAT, VERSION);
  const { blockSize, capacityTokens } = file.head;
  return {
    size: { blockSize: numberOf(blockSize), capacityTokens: numberOf(capacityTokens) },
    *rows() {
      for (const bytes of file.blocks()) {
        const block = new ByteReader(bytes);
        const withReplies = block.varint() === 1;
        const count = block.varint();
        const columns = COLUMNS.map((name) => [name, readNumbers(block, count)] as const);
        const hits = Array.from({ length: count }, (_, row) => ({
          requests: 1,
          ...Object.fromEntries(columns.map(([name, values]) => [name, values[row] as number])),
        } as RequestHits));
        yield { withReplies, hits };
      }
    },
  };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
