import { createHash } from "node:crypto";
import { Zip, ZipDeflate } from "npm:fflate@0.8.3";
import { refuseSpecialFile } from "../../core/files/refuse_special_file.ts";
import { ExportError } from "../../report/export/export_error.ts";

/** The earliest time that the format can hold: the same run makes the same bytes whenever it is packed. */
const TIME = new Date(1980, 0, 1);
const READ_BYTES = 64 * 1024;

/** A file in a bundle. */
export interface PackedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Writes a zip file piece by piece, beside its place first, so that it is there whole or not at all.
 */
export class ZipFile {
  readonly #path: string;
  readonly #temporary: string;
  readonly #file: Deno.FsFile;
  readonly #zip: Zip;
  #failure: unknown;

  private constructor(path: string, temporary: string, file: Deno.FsFile) {
    this.#path = path;
    this.#temporary = temporary;
    this.#file = file;
    this.#zip = new Zip((error, bytes) => {
      if (error !== null) this.#failure ??= error;
      else this.#write(bytes);
    });
  }

  /** @throws {ExportError} if it cannot be made */
  static async create(path: string): Promise<ZipFile> {
    const temporary = `${path}.${crypto.randomUUID()}.tmp`;
    try {
      refuseSpecialFile(path);
      const file = await Deno.open(temporary, { write: true, createNew: true });
      return new ZipFile(path, temporary, file);
    } catch (error) {
      throw new ExportError(path, error);
    }
  }

  /** Adds bytes. */
  async add(name: string, pieces: AsyncIterable<Uint8Array>): Promise<PackedFile> {
    const entry = new ZipDeflate(name, { level: 6 });
    entry.mtime = TIME;
    this.#zip.add(entry);
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const piece of pieces) {
      hash.update(piece);
      bytes += piece.length;
      entry.push(piece.slice());
    }
    entry.push(new Uint8Array(0), true);
    this.#check();
    return { name, bytes, sha256: hash.digest("hex") };
  }

  /** Puts the file into its place. */
  async finish(): Promise<void> {
    this.#zip.end();
    this.#check();
    this.#file.close();
    try {
      await Deno.rename(this.#temporary, this.#path);
    } catch (error) {
      throw new ExportError(this.#path, error);
    }
  }

  /** Leaves nothing behind. */
  async abandon(): Promise<void> {
    this.#zip.terminate();
    try {
      this.#file.close();
    } catch {
      // It is closed already.
    }
    await Deno.remove(this.#temporary).catch(() => {});
  }

  #write(bytes: Uint8Array): void {
    if (this.#failure !== undefined) return;
    try {
      for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
    } catch (error) {
      this.#failure = error;
    }
  }

  #check(): void {
    if (this.#failure !== undefined) throw new ExportError(this.#path, this.#failure);
  }
}

/** The bytes of a file, in pieces of one size, so that they are packed alike each time. */
export async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  using file = await Deno.open(path);
  const buffer = new Uint8Array(READ_BYTES);
  for (let isOver = false; !isOver;) {
    let length = 0;
    while (length < READ_BYTES) {
      const read = await file.read(buffer.subarray(length));
      if (read === null) {
        isOver = true;
        break;
      }
      length += read;
    }
    if (length > 0) yield buffer.subarray(0, length);
  }
}
