/**
 * A file of blocks that grows during a run: a line with its format and what is common to all blocks,
 * as JSON, then the blocks, each behind its length. A file whose writer was killed ends in the
 * middle of a block; what stands before that is whole.
 */

/** Longest first line. */
const MAX_HEAD_BYTES = 16 * 1024 * 1024;
/** Longer blocks are never written. */
const MAX_BLOCK_BYTES = 2 ** 30;
const LENGTH_BYTES = 4;
/** Room to begin with: of a thousand files that are read together, each has its own. */
const READ_BYTES = 1 << 17;
const LINE_FEED = 10;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The first line of a block file. */
export interface BlockFileHead {
  readonly format: string;
  readonly version: number;
  readonly [key: string]: unknown;
}

/** A file that is no block file, or one of another format. */
export class BlockFileError extends Error {
  override readonly name = "BlockFileError";
}

/** The first bytes of a block file. */
export function blockFileHead(head: BlockFileHead): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${JSON.stringify(head)}\n`);
}

/** A block as it stands in the file, in pieces. */
export function blockPieces(block: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const length = new Uint8Array(LENGTH_BYTES);
  new DataView(length.buffer).setUint32(0, block.length, true);
  return [length, block];
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
  #isCut = false;

  /**
   * Reads the first line.
   * @throws {BlockFileError} if it is not that of the format, or of a newer version
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
  }

  /** Whether the file ended in the middle of a block; known when all blocks were read. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** The blocks; each is valid until the next one. */
  *blocks(): Generator<Uint8Array<ArrayBuffer>> {
    for (;;) {
      if (!this.#has(LENGTH_BYTES)) {
        this.#isCut = this.#end > this.#start;
        return;
      }
      const length = new DataView(this.#buffer.buffer).getUint32(this.#start, true);
      if (length > MAX_BLOCK_BYTES || !this.#has(LENGTH_BYTES + length)) {
        this.#isCut = true;
        return;
      }
      const start = this.#start + LENGTH_BYTES;
      this.#start = start + length;
      yield this.#buffer.subarray(start, start + length);
    }
  }

  #readHead(): BlockFileHead {
    for (let seen = 0;;) {
      const lineFeed = this.#buffer.subarray(0, this.#end).indexOf(LINE_FEED, seen);
      if (lineFeed >= 0) {
        this.#start = lineFeed + 1;
        return headOf(decoder.decode(this.#buffer.subarray(0, lineFeed)));
      }
      seen = this.#end;
      if (seen > MAX_HEAD_BYTES || !this.#has(seen + 1)) {
        throw new BlockFileError("Has no first line that says what it is");
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

function headOf(line: string): BlockFileHead {
  let head: unknown;
  try {
    head = JSON.parse(line);
  } catch {
    throw new BlockFileError("Has no first line that says what it is");
  }
  const { format, version } = (head ?? {}) as Partial<BlockFileHead>;
  if (typeof format !== "string" || typeof version !== "number") {
    throw new BlockFileError("Has no first line that says what it is");
  }
  return head as BlockFileHead;
}
