import { isStandardInput } from "../../files/read_file.ts";
import { untilAborted } from "../../thread/until_aborted.ts";
import { DatasetError } from "../dataset_error.ts";

/** Bytes read at once. */
const READ_BYTES = 256 * 1024;

/**
 * An input file that is looked at before it is read. A file is opened anew each time; standard input
 * and pipes come once, and what was looked at of them is kept until they are read.
 */
export class InputSource {
  /** As the user names it. */
  readonly path: string;
  /** Whether it is a folder with one file for each pool, or for each conversation. */
  readonly isFolder: boolean;
  /** Whether it can be read again. */
  readonly isFile: boolean;
  readonly #interrupt: AbortSignal | undefined;
  #stream: AsyncIterator<Uint8Array> | undefined;
  #seen: Uint8Array[] = [];
  #held: Deno.FsFile | undefined;

  private constructor(
    path: string,
    kind: { readonly isFolder: boolean; readonly isFile: boolean },
    interrupt: AbortSignal | undefined,
  ) {
    this.path = path;
    this.isFolder = kind.isFolder;
    this.isFile = kind.isFile;
    this.#interrupt = interrupt;
  }

  /**
   * @param path `-` for standard input
   * @throws {DatasetError} if there is no such file
   */
  static async open(path: string, interrupt?: AbortSignal): Promise<InputSource> {
    if (isStandardInput(path)) {
      return new InputSource(path, { isFolder: false, isFile: false }, interrupt);
    }
    try {
      const { isFile, isDirectory, isFifo } = await Deno.stat(path);
      if (!isFile && !isDirectory && !isFifo) {
        throw new DatasetError(path, undefined, "Is not a file but a device");
      }
      return new InputSource(path, { isFolder: isDirectory, isFile }, interrupt);
    } catch (error) {
      throw unreadable(path, error);
    }
  }

  /** Bytes of a file; 0 where nobody knows. */
  async size(): Promise<number> {
    return this.isFile ? (await Deno.stat(this.path)).size : 0;
  }

  /**
   * Keeps the file open: it can be read again without the permission to open it, by one reader at a
   * time, until {@linkcode InputSource.close}.
   * @throws {DatasetError} if it cannot be opened
   */
  async hold(): Promise<void> {
    try {
      this.#held ??= await Deno.open(this.path);
    } catch (error) {
      throw unreadable(this.path, error);
    }
  }

  /** Closes a file that was held. */
  close(): void {
    this.#held?.close();
    this.#held = undefined;
  }

  /**
   * Its files by their names, if it is a folder: those that end in one of `endings`.
   * @throws {DatasetError} if there are none
   */
  async files(endings: RegExp): Promise<InputSource[]> {
    const names: string[] = [];
    try {
      for await (const { name, isFile } of Deno.readDir(this.path)) {
        if (isFile && endings.test(name)) names.push(name);
      }
    } catch (error) {
      throw unreadable(this.path, error);
    }
    if (names.length === 0) {
      throw new DatasetError(this.path, undefined, "Folder has no .jsonl or .json file");
    }
    const folder = this.path.replace(/[/\\]+$/, "");
    return await Promise.all(
      names.sort().map((name) => InputSource.open(`${folder}/${name}`, this.#interrupt)),
    );
  }

  /**
   * Its first bytes, which are still there when it is read.
   * @param isEnough called with all that was read so far
   */
  async head(isEnough: (bytes: Uint8Array) => boolean, maxBytes: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of this.#look()) {
      pieces.push(piece);
      length += piece.length;
      if (length >= maxBytes || isEnough(joined(pieces, length))) break;
    }
    return joined(pieces, length);
  }

  /** Its bytes from the beginning; of standard input and pipes only once. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    if (this.isFile) {
      yield* this.#read();
      return;
    }
    yield* this.#seen.splice(0);
    for (;;) {
      const piece = await this.#next();
      if (piece === undefined) return;
      yield piece;
    }
  }

  async *#look(): AsyncGenerator<Uint8Array> {
    if (this.isFile) {
      yield* this.#read();
      return;
    }
    for (;;) {
      const piece = await this.#next();
      if (piece === undefined) return;
      this.#seen.push(piece);
      yield piece;
    }
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    let file: Deno.FsFile | undefined;
    try {
      file = this.#held ?? await Deno.open(this.path);
      if (file === this.#held) await file.seek(0, Deno.SeekMode.Start);
      for (;;) {
        const buffer = new Uint8Array(READ_BYTES);
        const length = await untilAborted(file.read(buffer), this.#interrupt);
        if (length === null) return;
        yield buffer.subarray(0, length);
      }
    } catch (error) {
      this.#interrupt?.throwIfAborted();
      throw unreadable(this.path, error);
    } finally {
      if (file !== this.#held) file?.close();
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    try {
      this.#stream ??= (isStandardInput(this.path)
        ? Deno.stdin
        : await untilAborted(Deno.open(this.path), this.#interrupt)).readable.values();
      const { value, done } = await untilAborted(this.#stream.next(), this.#interrupt);
      return done ? undefined : value;
    } catch (error) {
      this.#interrupt?.throwIfAborted();
      throw unreadable(this.path, error);
    }
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0] as Uint8Array;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

function unreadable(path: string, error: unknown): unknown {
  if (error instanceof DatasetError) return error;
  if (error instanceof Deno.errors.NotFound) {
    return new DatasetError(path, undefined, "File does not exist");
  }
  if (error instanceof Deno.errors.NotCapable) {
    return new DatasetError(path, undefined, "The runtime has no permission to read it");
  }
  return new DatasetError(path, undefined, error instanceof Error ? error.message : `${error}`);
}
