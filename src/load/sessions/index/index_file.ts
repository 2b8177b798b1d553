import { writeAll } from "../../../core/files/write_all.ts";
import type { RowColumns } from "./row_table.ts";

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

/** Some entries of the file, as numbers of both sizes. */
interface Room {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly doubles: Float64Array;
  readonly words: Uint32Array;
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

  /** Writes the places of rows in an order, before the names. */
  async writeRows(order: Uint32Array, rows: Omit<RowColumns, "names" | "orders">): Promise<void> {
    await this.#write(order, ROW_BYTES, (room, item, row) => {
      room.doubles[2 * item] = rows.offsets[row] as number;
      room.words[4 * item + 2] = rows.lengths[row] as number;
      room.words[4 * item + 3] = rows.lines[row] as number;
    });
    this.#nameOffset = order.length * ROW_BYTES;
  }

  /** Writes the keys of names in an order. */
  async writeNames(order: Uint32Array, keys: Float64Array): Promise<void> {
    await this.#write(order, NAME_BYTES, (room, item, name) => {
      room.doubles[item] = keys[name] as number;
    });
  }

  /** Returns the places of some rows. */
  async rows(start: number, end: number): Promise<RowPlace[]> {
    const { doubles, words } = await this.#read(start * ROW_BYTES, end * ROW_BYTES);
    return Array.from({ length: end - start }, (_, row) => ({
      offset: doubles[2 * row] as number,
      length: words[4 * row + 2] as number,
      line: words[4 * row + 3] as number,
    }));
  }

  /** Returns the keys of some names. */
  async names(start: number, end: number): Promise<Set<number>> {
    const from = this.#nameOffset;
    const { doubles } = await this.#read(from + start * NAME_BYTES, from + end * NAME_BYTES);
    return new Set(doubles);
  }

  async #write(
    order: Uint32Array,
    bytesEach: number,
    put: (room: Room, place: number, item: number) => void,
  ): Promise<void> {
    const most = Math.floor(CHUNK_BYTES / bytesEach);
    const room = roomOf(new Uint8Array(Math.min(most, order.length) * bytesEach));
    for (let start = 0; start < order.length; start += most) {
      const count = Math.min(most, order.length - start);
      for (let place = 0; place < count; place++) put(room, place, order[start + place] as number);
      await writeAll(this.#file, room.bytes.subarray(0, count * bytesEach));
    }
  }

  async #read(start: number, end: number): Promise<Room> {
    return roomOf(await readAt(this.#file, start, end - start));
  }
}

function roomOf(bytes: Uint8Array<ArrayBuffer>): Room {
  const { buffer } = bytes;
  return { bytes, doubles: new Float64Array(buffer), words: new Uint32Array(buffer) };
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
