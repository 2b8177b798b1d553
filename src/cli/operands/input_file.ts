import { UsageError } from "../../config/options/usage_error.ts";
import { fileReason } from "../../core/files/file_reason.ts";
import { whileBlocking } from "../../core/thread/signal_pause.ts";
import { isStandardInput } from "../../core/files/read_file.ts";

/**
 * A file that can be read several times, from beginning to end. Standard input and pipes, which
 * cannot, are put by in a temporary file, which goes when this is disposed of.
 */
export class InputFile implements AsyncDisposable {
  readonly #path: string;
  readonly #isTemporary: boolean;

  private constructor(path: string, isTemporary: boolean) {
    this.#path = path;
    this.#isTemporary = isTemporary;
  }

  /**
   * @param file its path, `-` for standard input
   * @throws {UsageError} if it cannot be read
   */
  static async open(file: string): Promise<InputFile> {
    if (isStandardInput(file)) return await InputFile.#putBy(Deno.stdin.readable);
    try {
      const { isFile, isDirectory } = await Deno.stat(file);
      if (isDirectory) throw new UsageError(undefined, `${file}: Is a directory`);
      // That it may not be read is better reported now.
      const { readable } = await whileBlocking(() => Deno.open(file));
      if (!isFile) return await InputFile.#putBy(readable);
      await readable.cancel();
      return new InputFile(file, false);
    } catch (error) {
      throw unreadable(file, error);
    }
  }

  static async #putBy(bytes: ReadableStream<Uint8Array>): Promise<InputFile> {
    const path = await Deno.makeTempFile({ prefix: "inferometer-" });
    const file = new InputFile(path, true);
    try {
      await Deno.writeFile(path, bytes);
      return file;
    } catch (error) {
      await file[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Its bytes, from the beginning. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    yield* (await Deno.open(this.#path)).readable;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isTemporary) await Deno.remove(this.#path);
  }
}

/** The reason why a file cannot be read, for its user. */
export function unreadable(file: string, error: unknown): unknown {
  if (error instanceof UsageError) return error;
  const reason = error instanceof Deno.errors.NotFound ? "File does not exist" : fileReason(error);
  return new UsageError(undefined, `${file}: ${reason}`);
}
