import { writeAll } from "../../../core/files/write_all.ts";

/** Bytes of a row: its offset, its length and its line. */
const ROW_BYTES = 16;
const NAME_BYTES = 8;
/** Bytes written at once. */
const CHUNK_BYTES = 1024 * 1024;

/** Place of a row in the file of sessions. */
export interface RowPlace {
  readonly offset: number;
  readonly length: number;
  readonly line: number;
}

/**
 * The rows and names of sessions, sorted by sessions, in a temporary file. It has no name: it is gone when
 * it is closed, however that happens.
 */
export class IndexFile {
  readonly #file: Deno.FsFile;
  #nameOffset = 0;

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** @param folder that the file is in */
  static async create(folder: string): Promise<IndexFile> {
    const path = await Deno.makeTempFile({ dir: folder, prefix: "sessions-", suffix: ".index" });
    const file = await Deno.open(path, { read: true, write: true });
    // Some systems keep a file that is open; it is removed with the folder then.
    await Deno.remove(path).catch(() => {});
    return new IndexFile(file);
  }

  /** Closes the file, and with that removes it. */
  close(): void {
    this.#file.close();
  }

  /** Writes the places of rows, before the names. */
  async writeRows(
    rows: Uint32Array,
    placeOf: (row: number) => readonly [offset: number, length: number, line: number],
  ): Promise<void> {
    await this.#write(rows, ROW_BYTES, (view, at, row) => {
      const [offset, length, line] = placeOf(row);
      view.setFloat64(at, offset);
      view.setUint32(at + 8, length);
      view.setUint32(at + 12, line);
    });
    this.#nameOffset = rows.length * ROW_BYTES;
  }

  /** Writes the keys of names. */
  async writeNames(names: Uint32Array, keyOf: (name: number) => number): Promise<void> {
    await this.#write(names, NAME_BYTES, (view, at, name) => view.setFloat64(at, keyOf(name)));
  }

  /** Returns the places of some rows. */
  async rows(start: number, end: number): Promise<RowPlace[]> {
    const view = await this.#read(start * ROW_BYTES, end * ROW_BYTES);
    return Array.from({ length: end - start }, (_, row) => ({
      offset: view.getFloat64(row * ROW_BYTES),
      length: view.getUint32(row * ROW_BYTES + 8),
      line: view.getUint32(row * ROW_BYTES + 12),
    }));
  }

  /** Returns the keys of some names. */
  async names(start: number, end: number): Promise<Set<number>> {
    const from = this.#nameOffset;
    const view = await this.#read(from + start * NAME_BYTES, from + end * NAME_BYTES);
    return new Set(
      Array.from({ length: end - start }, (_, name) => view.getFloat64(name * NAME_BYTES)),
    );
  }

  async #write(
    items: Uint32Array,
    bytesEach: number,
    put: (view: DataView, at: number, item: number) => void,
  ): Promise<void> {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, items.length * bytesEach));
    const view = new DataView(chunk.buffer);
    let at = 0;
    for (const item of items) {
      put(view, at, item);
      at += bytesEach;
      if (at === chunk.length) {
        await writeAll(this.#file, chunk);
        at = 0;
      }
    }
    await writeAll(this.#file, chunk.subarray(0, at));
  }

  async #read(start: number, end: number): Promise<DataView> {
    const bytes = await readAt(this.#file, start, end - start);
    return new DataView(bytes.buffer);
  }
}

/**
 * Returns the bytes of a file between two places.
 * @throws {RangeError} if the file is shorter now
 */
export async function readAt(
  file: Deno.FsFile,
  offset: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  await file.seek(offset, Deno.SeekMode.Start);
  for (let at = 0; at < length;) {
    const count = await file.read(bytes.subarray(at));
    if (count === null) throw new RangeError("The file has become shorter while it was read");
    at += count;
  }
  return bytes;
}
