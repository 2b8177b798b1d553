import { isDescriptorLimit } from "../../client/http/descriptor_limit.ts";
import { refuseSpecialFile } from "../../core/files/refuse_special_file.ts";
import { writeAll } from "../../core/files/write_all.ts";
import { ExportError } from "./export_error.ts";
import { releaseFolder } from "./folder_claim.ts";
import { type FolderGuard, identityOf } from "./folder_guard.ts";

/** Destination of finished files. */
export interface FileSink {
  /**
   * Writes a file atomically: it is complete, or does not exist.
   * @throws {ExportError} if it cannot be written
   */
  write(name: string, pieces: Iterable<string | Uint8Array>): Promise<void>;
  /**
   * Opens a file of lines that grows during the run.
   * @throws {ExportError} if it cannot be opened
   */
  openLines(name: string): LineSink;
  /**
   * Opens a file for bytes that are only needed until the process ends; missing where there is no
   * place for one.
   * @throws {ExportError} if it cannot be opened
   */
  openScratch?(): ScratchFile;
  /**
   * Releases the claim of the folder; missing if there is none.
   * @returns why the folder no longer belongs to the run; undefined if it does
   */
  release?(): Promise<string | undefined>;
}

/** A file for bytes that are only needed until the process ends. */
export interface ScratchFile {
  /**
   * Keeps bytes; returns where.
   * @throws {ExportError} if they cannot be kept
   */
  write(bytes: Uint8Array): number;
  /** Fills an array with bytes that were kept. */
  readInto(offset: number, bytes: Uint8Array): void;
  /** Gives its room back. */
  close?(): void;
}

/**
 * Growing file of lines. The file may end early, but never in the middle of a line. Calls return
 * when the operating system has the bytes, so no backlog builds up in memory. Callers write blocks,
 * for which this costs less than an asynchronous write.
 */
export interface LineSink {
  /**
   * Appends lines, each ended by LF, as UTF-8 in pieces of any size.
   * @throws {ExportError} if they cannot be written; what was written before stays
   */
  append(lines: Iterable<Uint8Array>): void;
  /** @throws {ExportError} if the file was removed or replaced since it was opened */
  close(): void;
}

const encoder = new TextEncoder();
/** Pieces are gathered to about this size before they are written. */
const WRITE_BYTES = 256 * 1024;
/** Attempts to open a file while this process has too many open, and the pause between two. */
const OPEN_ATTEMPTS = 40;
const OPEN_PAUSE_MS = 50;

/** Writes files into a folder, and into folders of it that a file's name begins with. */
export class FolderSink implements FileSink {
  readonly #folder: string;
  readonly #guard: FolderGuard | undefined;

  /**
   * @param guard checks whether the folder still belongs to the run; undefined if that is
   * irrelevant
   */
  constructor(folder: string, guard?: FolderGuard) {
    this.#folder = folder;
    this.#guard = guard;
  }

  async release(): Promise<string | undefined> {
    if (this.#guard !== undefined) return await this.#guard.release();
    await releaseFolder(this.#folder);
    return undefined;
  }

  async write(name: string, pieces: Iterable<string | Uint8Array>): Promise<void> {
    const path = `${this.#folder}/${name}`;
    const temporary = `${path}.${crypto.randomUUID()}.tmp`;
    try {
      this.#guard?.check();
      refuseSpecialFile(path);
      if (name.includes("/")) {
        await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      }
      const file = await openPatiently(temporary);
      try {
        for (const bytes of gathered(pieces)) await writeAll(file, bytes);
        await file.sync();
      } finally {
        file.close();
      }
      await Deno.rename(temporary, path);
    } catch (error) {
      await Deno.remove(temporary).catch(() => {});
      throw error instanceof ExportError ? error : new ExportError(path, error);
    }
  }

  openScratch(): ScratchFile {
    const path = `${this.#folder}/.inferometer-${crypto.randomUUID()}.tmp`;
    try {
      return new FolderScratch(path);
    } catch (error) {
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

class FolderScratch implements ScratchFile {
  readonly #path: string;
  readonly #file: Deno.FsFile;
  #length = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = Deno.openSync(path, { read: true, write: true, createNew: true });
    try {
      // The system keeps it until it is closed, so that nothing is left even of a killed process.
      Deno.removeSync(path);
    } catch {
      // Some systems do not remove what is open: a temporary file is left there.
    }
  }

  write(bytes: Uint8Array): number {
    const offset = this.#length;
    try {
      this.#file.seekSync(offset, Deno.SeekMode.Start);
      for (let written = 0; written < bytes.length;) {
        written += this.#file.writeSync(bytes.subarray(written));
      }
    } catch (error) {
      throw new ExportError(this.#path, error);
    }
    this.#length += bytes.length;
    return offset;
  }

  readInto(offset: number, bytes: Uint8Array): void {
    this.#file.seekSync(offset, Deno.SeekMode.Start);
    for (let filled = 0; filled < bytes.length;) {
      const count = this.#file.readSync(bytes.subarray(filled));
      if (count === null) throw new RangeError("The scratch file ends too early");
      filled += count;
    }
  }

  close(): void {
    this.#file.close();
  }
}

class FileLines implements LineSink {
  readonly #path: string;
  readonly #file: Deno.FsFile;
  readonly #identity: string | undefined;
  #length = 0;

  constructor(path: string, file: Deno.FsFile) {
    this.#path = path;
    this.#file = file;
    this.#identity = identityOf(path);
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
    // What was written is where nobody finds it.
    if (this.#identity === undefined || this.#identity === identityOf(this.#path)) return;
    throw new ExportError(this.#path, "It was removed or replaced while it was written");
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
    // Most pieces are short: they need no array of their own.
    if (typeof piece === "string" && 3 * piece.length <= buffer.length - length) {
      length += encoder.encodeInto(piece, buffer.subarray(length)).written;
      continue;
    }
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
 * Opens a file that does not exist yet. An existing entry of that name is removed first. A link is
 * removed itself, not its target, so that nothing is ever written outside of the folder.
 */
function openNew(path: string): Deno.FsFile {
  refuseSpecialFile(path);
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return Deno.openSync(path, { write: true, createNew: true });
}

/**
 * Opens a file like {@linkcode openNew}; waits for a descriptor until ended threads have released some.
 */
async function openPatiently(path: string): Promise<Deno.FsFile> {
  for (let attempt = 1;; attempt++) {
    try {
      return openNew(path);
    } catch (error) {
      if (attempt === OPEN_ATTEMPTS || !isDescriptorLimit(String(error))) throw error;
      await new Promise((resolve) => setTimeout(resolve, OPEN_PAUSE_MS));
    }
  }
}
