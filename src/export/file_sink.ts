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
  openLines(name: string): LineSink;
}

/**
 * A growing file of lines. It may end early, but never in the middle of a line. Its calls return
 * when the operating system has the bytes: so nothing piles up in memory, and for the block at a
 * time that callers gather that costs less than to wait for it.
 */
export interface LineSink {
  /**
   * Appends lines, each ended by LF, as UTF-8 in pieces of any size.
   * @throws {ExportError} if they cannot be written; what was written before stays
   */
  append(lines: Iterable<Uint8Array>): void;
  close(): void;
}

const encoder = new TextEncoder();
/** Pieces are gathered to about this size before they are written. */
const WRITE_BYTES = 256 * 1024;

/** Writes files into a folder, and into folders of it that a file's name begins with. */
export class FolderSink implements FileSink {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(name: string, pieces: Iterable<string | Uint8Array>): Promise<void> {
    const path = `${this.#folder}/${name}`;
    const temporary = `${path}.tmp`;
    try {
      const file = openNew(temporary);
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

  openLines(name: string): LineSink {
    const path = `${this.#folder}/${name}`;
    try {
      const slash = name.lastIndexOf("/");
      if (slash > 0) Deno.mkdirSync(`${this.#folder}/${name.slice(0, slash)}`, { recursive: true });
      return new FileLines(path, openNew(path));
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

  append(lines: Iterable<Uint8Array>): void {
    try {
      let length = this.#length;
      for (const bytes of lines) {
        for (let written = 0; written < bytes.length;) {
          written += this.#file.writeSync(bytes.subarray(written));
        }
        length += bytes.length;
      }
      this.#length = length;
    } catch (error) {
      this.#dropPartialLine();
      throw new ExportError(this.#path, error);
    }
  }

  close(): void {
    this.#file.close();
  }

  #dropPartialLine(): void {
    try {
      this.#file.truncateSync(this.#length);
      this.#file.seekSync(this.#length, Deno.SeekMode.Start);
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
function openNew(path: string): Deno.FsFile {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return Deno.openSync(path, { write: true, createNew: true });
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += await file.write(bytes.subarray(written));
  }
}
