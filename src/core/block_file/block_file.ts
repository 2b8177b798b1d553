/**
 * A file of blocks that grows during a run: a line with its format and what is common to all
 * blocks, as JSON, then the blocks, each behind its length and before its checksum. A file whose
 * writer was killed ends in the middle of a block; everything before that is complete. A damaged
 * block is skipped. The first line ends with its own checksum, since it defines how every block is
 * read, and names the run that wrote it.
 */

import { fnv1a } from "../statistics/fnv1a.ts";

/** Longest first line. */
const MAX_HEAD_BYTES = 16 * 1024 * 1024;
/** Longer blocks are never written. */
const MAX_BLOCK_BYTES = 2 ** 30;
const LENGTH_BYTES = 4;
const CHECKSUM_BYTES = 4;
/** Name of the checksum in the first line; files of earlier versions have none. */
const CHECKSUM = "fnv1a-32";
/** Room to begin with: of a thousand files that are read together, each has its own. */
const READ_BYTES = 1 << 17;
const LINE_FEED = 10;
/** First version of each format whose first line has a checksum. */
const SEALED_VERSION = 3;
/** The end of such a line: the checksum of what precedes it. */
const HEAD_SEAL = /,"head":"([0-9a-f]{8})"\}$/;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The first line of a block file. */
export interface BlockFileHead {
  readonly format: string;
  readonly version: number;
  /** ID of the run that wrote the file; absent in files of earlier versions. */
  readonly run?: string | undefined;
  readonly [key: string]: unknown;
}

/** A file that is no block file, or one of another format. */
export class BlockFileError extends Error {
  override readonly name = "BlockFileError";
}

/** The first bytes of a block file. */
export function blockFileHead(head: BlockFileHead): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify({ ...head, checksum: CHECKSUM }).slice(0, -1);
  return encoder.encode(`${text},"head":"${hexOf(fnv1a(encoder.encode(text)))}"}\n`);
}

function hexOf(checksum: number): string {
  return checksum.toString(16).padStart(8, "0");
}

/** Returns a block as stored in the file, in pieces. */
export function blockPieces(block: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const length = fourBytes(block.length);
  return [length, block, fourBytes(fnv1a(block, fnv1a(length)))];
}

function fourBytes(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

/** Source of blocks. */
export interface ByteSource {
  /** Reads into `buffer`; returns how many bytes, null at the end. */
  readSync(buffer: Uint8Array): number | null;
}

/** Reads a block file from its beginning to its end, one block at a time. */
export class BlockFileReader {
  readonly head: BlockFileHead;
  readonly #source: ByteSource;
  #buffer = new Uint8Array(READ_BYTES);
  #start = 0;
  #end = 0;
  readonly #checksumBytes: number;
  #lacksBlocks = false;

  /**
   * Reads the first line.
   * @throws {BlockFileError} if it is damaged, not that of the format, or of a newer version
   */
  constructor(source: ByteSource, format: string, version: number) {
    this.#source = source;
    this.head = this.#readHead();
    if (this.head.format !== format) {
      throw new BlockFileError(`Not a file of format "${format}"`);
    }
    if (!(this.head.version <= version)) {
      throw new BlockFileError(
        `Version ${this.head.version} of the format is newer than this program`,
      );
    }
    this.#checksumBytes = this.head["checksum"] === CHECKSUM ? CHECKSUM_BYTES : 0;
  }

  /**
   * Whether a block before the one given last is not what was written, or the file ended in the
   * middle of one; all is known when all blocks were read.
   */
  get lacksBlocks(): boolean {
    return this.#lacksBlocks;
  }

  /** The blocks; each is valid until the next one. */
  *blocks(): Generator<Uint8Array<ArrayBuffer>> {
    for (;;) {
      if (!this.#has(LENGTH_BYTES)) {
        this.#lacksBlocks ||= this.#end > this.#start;
        return;
      }
      const length = this.#number(this.#start);
      if (
        length > MAX_BLOCK_BYTES || !this.#has(LENGTH_BYTES + length + this.#checksumBytes)
      ) {
        this.#lacksBlocks = true;
        return;
      }
      const begin = this.#start;
      const end = begin + LENGTH_BYTES + length;
      this.#start = end + this.#checksumBytes;
      if (
        this.#checksumBytes > 0 &&
        fnv1a(this.#buffer.subarray(begin, end)) !== this.#number(end)
      ) this.#lacksBlocks = true;
      else yield this.#buffer.subarray(begin + LENGTH_BYTES, end);
    }
  }

  #number(at: number): number {
    return new DataView(this.#buffer.buffer).getUint32(at, true);
  }

  #readHead(): BlockFileHead {
    for (let seen = 0;;) {
      const lineFeed = this.#buffer.subarray(0, this.#end).indexOf(LINE_FEED, seen);
      if (lineFeed >= 0) {
        this.#start = lineFeed + 1;
        return headOf(this.#buffer.subarray(0, lineFeed));
      }
      seen = this.#end;
      if (seen > MAX_HEAD_BYTES || !this.#has(seen + 1)) {
        throw new BlockFileError("Has no valid header line");
      }
    }
  }

  /** Whether at least this many bytes are left to read. */
  #has(count: number): boolean {
    while (this.#end - this.#start < count) {
      if (this.#start + count > this.#buffer.length) this.#makeRoom(count);
      const read = this.#source.readSync(this.#buffer.subarray(this.#end));
      if (read === null) return false;
      this.#end += read;
    }
    return true;
  }

  #makeRoom(count: number): void {
    const larger = count <= this.#buffer.length
      ? this.#buffer
      : new Uint8Array(Math.max(count, this.#buffer.length * 2));
    larger.set(this.#buffer.subarray(this.#start, this.#end));
    this.#buffer = larger;
    this.#end -= this.#start;
    this.#start = 0;
  }
}

function headOf(bytes: Uint8Array): BlockFileHead {
  const line = decoder.decode(bytes);
  const [seal, checksum] = HEAD_SEAL.exec(line) ?? [];
  const isSealed = seal !== undefined &&
    checksum === hexOf(fnv1a(bytes.subarray(0, bytes.length - seal.length)));
  let head: unknown;
  try {
    head = JSON.parse(line);
  } catch {
    throw new BlockFileError("Has no valid header line");
  }
  const { format, version } = (head ?? {}) as Partial<BlockFileHead>;
  if (typeof format !== "string" || typeof version !== "number") {
    throw new BlockFileError("Has no valid header line");
  }
  // A line of an earlier version has no checksum, and nobody knows whether it was changed.
  if (!isSealed && (seal !== undefined || version >= SEALED_VERSION)) {
    throw new BlockFileError("Its first line is damaged: what it holds cannot be read");
  }
  return head as BlockFileHead;
}
