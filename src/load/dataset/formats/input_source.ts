import { isStandardInput } from "../../../core/files/read_file.ts";
import { whileBlocking } from "../../../core/thread/signal_pause.ts";
import { untilAborted } from "../../../core/thread/until_aborted.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import { UnreadFields } from "./unread_fields.ts";

/** Bytes read at once. */
const READ_BYTES = 256 * 1024;
/** Maximum number of bytes of a stream that are kept to be reread. */
const KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Input file whose beginning is inspected before it is read. A file is reopened each time. Standard
 * input and pipes can be read only once, so inspected bytes of them are kept until they are read.
 */
export class InputSource {
  /** Path as the user wrote it. */
  readonly path: string;
  /** Whether it is a folder with one file for each pool, or for each conversation. */
  readonly isFolder: boolean;
  /** Whether the source can be reread. */
  readonly isFile: boolean;
  /** Fields of its rows that its format does not read. */
  readonly unread = new UnreadFields();
  readonly #interrupt: AbortSignal | undefined;
  /** The files of a folder that were opened. */
  readonly #files: InputSource[] = [];
  #stream: AsyncIterator<Uint8Array> | undefined;
  /** Pieces of a stream that have come, without those at its beginning that are let go. */
  readonly #seen: Uint8Array[] = [];
  #gone = 0;
  #seenBytes = 0;
  #hasEnded = false;
  /** The next piece of a stream, which several readers may wait for. */
  #pulled: Promise<void> | undefined;
  /** Whether a stream can be reread. */
  #isKept = false;
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

  /** Whether it comes once, and perhaps without end: standard input, or a pipe. */
  get isStream(): boolean {
    return !this.isFile && !this.isFolder;
  }

  /** Returns the size of a file in bytes; 0 if it is unknown. */
  async size(): Promise<number> {
    return this.isFile ? (await Deno.stat(this.path)).size : 0;
  }

  /** Waits for the end of a stream; whether it came within a time, and within a number of bytes. */
  async endsWithin(milliseconds: number, maxBytes: number): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<true>((resolve) => {
      timer = setTimeout(() => resolve(true), milliseconds);
    });
    try {
      while (!this.#hasEnded && this.#seenBytes < maxBytes) {
        if (await Promise.race([this.#pull(), late]) === true) break;
      }
    } finally {
      clearTimeout(timer);
    }
    return this.#hasEnded;
  }

  /**
   * Makes the source rereadable without the permission to open it, by one reader at a time, until
   * {@linkcode InputSource.close}; a stream only as long as its bytes fit into the buffer.
   * @throws {DatasetError} if it cannot be opened
   */
  async hold(): Promise<void> {
    this.#isKept = true;
    if (!this.isFile) return;
    try {
      this.#held ??= await Deno.open(this.path);
    } catch (error) {
      throw unreadable(this.path, error);
    }
  }

  /** Lets go of what was held. */
  close(): void {
    this.#held?.close();
    this.#held = undefined;
    // It may be waiting for what never comes.
    this.#stream?.return?.().catch(() => {});
  }

  /**
   * Returns the files of a folder by their names: those that end in one of `endings`.
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
    const files = await Promise.all(
      names.sort().map((name) => InputSource.open(`${folder}/${name}`, this.#interrupt)),
    );
    this.#files.push(...files);
    return files;
  }

  /** A sentence for each file with fields that are not read. */
  unreadNotices(): string[] {
    return [this, ...this.#files].map(({ unread, path }) => unread.notice(path))
      .filter((notice) => notice !== undefined);
  }

  /**
   * Returns the first bytes of the source without consuming them.
   * @param isEnough called with all bytes read so far, and how many of them it has already seen
   */
  async head(
    isEnough: (bytes: Uint8Array, seen: number) => boolean,
    maxBytes: number,
  ): Promise<Uint8Array> {
    let bytes = new Uint8Array(0);
    let length = 0;
    for await (const piece of this.#look()) {
      const seen = length;
      length += piece.length;
      if (length > bytes.length) {
        // Doubled, so that a head of many pieces is not copied for each of them.
        const longer = new Uint8Array(Math.max(length, 2 * bytes.length));
        longer.set(bytes.subarray(0, seen));
        bytes = longer;
      }
      bytes.set(piece, seen);
      if (length >= maxBytes || isEnough(bytes.subarray(0, length), seen)) break;
    }
    return bytes.subarray(0, length);
  }

  /**
   * Yields the bytes from the beginning; for standard input and pipes only once, unless the source
   * is held.
   */
  bytes(): AsyncGenerator<Uint8Array> {
    return this.isFile ? this.#read() : this.#pieces(() => this.#isKept);
  }

  #look(): AsyncGenerator<Uint8Array> {
    return this.isFile ? this.#read() : this.#pieces(() => true);
  }

  /**
   * Yields the buffered and the following bytes of a stream; read bytes are released unless they
   * are kept.
   */
  async *#pieces(isKept: () => boolean): AsyncGenerator<Uint8Array> {
    for (let at = 0;; at++) {
      if (at < this.#gone) {
        throw new DatasetError(
          this.path,
          undefined,
          `Input from a pipe exceeds ${KEPT_BYTES / 2 ** 20} MB and cannot be rewound`,
        );
      }
      while (at - this.#gone >= this.#seen.length) {
        if (this.#hasEnded) return;
        await this.#pull();
      }
      const piece = this.#seen[at - this.#gone] as Uint8Array;
      if (!isKept()) this.#letGo(at + 1);
      yield piece;
    }
  }

  #letGo(end: number): void {
    for (const { length } of this.#seen.splice(0, end - this.#gone)) this.#seenBytes -= length;
    this.#gone = end;
  }

  /** Waits for the next piece of a stream, or for its end. */
  #pull(): Promise<void> {
    this.#pulled ??= this.#next().then((piece) => {
      if (piece === undefined) this.#hasEnded = true;
      else {
        this.#seen.push(piece);
        this.#seenBytes += piece.length;
      }
      if (this.#seenBytes > KEPT_BYTES) this.#isKept = false;
    }).finally(() => this.#pulled = undefined);
    // Who waits for it hears of it; nobody may.
    this.#pulled.catch(() => {});
    return this.#pulled;
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
        : await whileBlocking(() =>
          untilAborted(Deno.open(this.path), this.#interrupt)
        ))
        .readable.values();
      const { value, done } = await untilAborted(this.#stream.next(), this.#interrupt);
      return done ? undefined : value;
    } catch (error) {
      this.#interrupt?.throwIfAborted();
      throw unreadable(this.path, error);
    }
  }
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
