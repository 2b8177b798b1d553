import { ExportError } from "./export_error.ts";

/** Where finished files go. */
export interface FileSink {
  /**
   * Writes a file as a whole: it is there complete, or not at all.
   * @throws {ExportError} if it cannot be written
   */
  write(name: string, pieces: Iterable<string | Uint8Array>): Promise<void>;
  /**
   * Opens a file of lines that grows during the run.
   * @throws {ExportError} if it cannot be opened
   */
  openLines(name: string): Promise<LineSink>;
}

/** A growing file of lines. It may end early, but never in the middle of a line. */
export interface LineSink {
  /**
   * Appends lines, each ended by LF.
   * @throws {ExportError} if they cannot be written; what was written before stays
   */
  append(lines: string): Promise<void>;
  close(): Promise<void>;
}

const encoder = new TextEncoder();
/** Pieces are gathered to about this size before they are written. */
const WRITE_BYTES = 256 * 1024;

/** Writes files into a folder. */
export class FolderSink implements FileSink {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(name: string, pieces: Iterable<string | Uint8Array>): Promise<void> {
    const path = `${this.#folder}/${name}`;
    const temporary = `${path}.tmp`;
    try {
      const file = await openNew(temporary);
      try {
        for (const bytes of gathered(pieces)) await writeAll(file, bytes);
        await file.sync();
      } finally {
        file.close();
      }
      await Deno.rename(temporary, path);
    } catch (error) {
      await Deno.remove(temporary).catch(() => {});
      throw new ExportError(path, error);
    }
  }

  async openLines(name: string): Promise<LineSink> {
    const path = `${this.#folder}/${name}`;
    try {
      return new FileLines(path, await openNew(path));
    } catch (error) {
      throw new ExportError(path, error);
    }
  }
}

class FileLines implements LineSink {
  readonly #path: string;
  readonly #file: Deno.FsFile;
  #length = 0;

  constructor(path: string, file: Deno.FsFile) {
    this.#path = path;
    this.#file = file;
  }

  async append(lines: string): Promise<void> {
    const bytes = encoder.encode(lines);
    try {
      await writeAll(this.#file, bytes);
      this.#length += bytes.length;
    } catch (error) {
      await this.#dropPartialLine();
      throw new ExportError(this.#path, error);
    }
  }

  async close(): Promise<void> {
    this.#file.close();
    await Promise.resolve();
  }

  async #dropPartialLine(): Promise<void> {
    try {
      await this.#file.truncate(this.#length);
      await this.#file.seek(this.#length, Deno.SeekMode.Start);
    } catch {
      // The disk does not even take that; nothing more can be done.
    }
  }
}

function* gathered(pieces: Iterable<string | Uint8Array>): Generator<Uint8Array> {
  let buffer = new Uint8Array(WRITE_BYTES);
  let length = 0;
  for (const piece of pieces) {
    const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
    if (length + bytes.length > buffer.length) {
      if (length > 0) yield buffer.subarray(0, length);
      length = 0;
      if (bytes.length > buffer.length) buffer = new Uint8Array(bytes.length);
    }
    buffer.set(bytes, length);
    length += bytes.length;
  }
  if (length > 0) yield buffer.subarray(0, length);
}

/**
 * Opens a file that is not there yet. What stands under its name is removed before: of a link the
 * link itself, so that nothing is ever written outside of the folder.
 */
async function openNew(path: string): Promise<Deno.FsFile> {
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  return await Deno.open(path, { write: true, createNew: true });
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += await file.write(bytes.subarray(written));
  }
}
