import { untilAborted } from "../../../core/thread/until_aborted.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import { InputSource } from "../formats/input_source.ts";
import type { RowFile } from "./row_file.ts";

/** File of a dataset in a folder of this machine. */
export class LocalRowFile implements RowFile {
  readonly path: string;
  readonly #interrupt: AbortSignal;

  constructor(path: string, interrupt: AbortSignal) {
    this.path = path;
    this.#interrupt = interrupt;
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    yield* (await InputSource.open(this.path, this.#interrupt)).bytes();
  }

  async size(): Promise<number> {
    return (await this.#reported(Deno.stat(this.path))).size;
  }

  async slice(start: number, end: number): Promise<ArrayBuffer> {
    using file = await this.#reported(Deno.open(this.path));
    await this.#reported(file.seek(start, Deno.SeekMode.Start));
    const bytes = new Uint8Array(end - start);
    for (let done = 0; done < bytes.length;) {
      const length = await this.#reported(file.read(bytes.subarray(done)));
      if (length === null) throw new DatasetError(this.path, undefined, "File ends too early");
      done += length;
    }
    return bytes.buffer;
  }

  async #reported<T>(work: Promise<T>): Promise<T> {
    try {
      return await untilAborted(work, this.#interrupt);
    } catch (error) {
      this.#interrupt.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      throw new DatasetError(this.path, undefined, reason);
    }
  }
}
