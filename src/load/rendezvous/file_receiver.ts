/** Names of files below a folder: no way leads out of it, and none is hidden. */
// deno-lint-ignore no-control-regex
const NAME = /^[^./\\\0-\x1f][^/\\\0-\x1f]*(\/[^./\\\0-\x1f][^/\\\0-\x1f]*)*$/;

/** Writes the files that one shard sends into its folder, one after another. */
export class FileReceiver {
  readonly #folder: string;
  #file: Deno.FsFile | undefined;
  #left = 0;

  /** @param folder of the shard that sends */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Begins a file.
   * @throws {RangeError} if it has a name that no file of a shard has
   */
  async begin(name: string, bytes: number): Promise<void> {
    this.close();
    if (!NAME.test(name)) throw new RangeError(`No file of a shard: ${name}`);
    const path = `${this.#folder}/${name}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    this.#file = await Deno.create(path);
    this.#left = bytes;
  }

  /**
   * Adds to it.
   * @throws {RangeError} if that is more than was said
   */
  async add(bytes: Uint8Array): Promise<void> {
    this.#left -= bytes.length;
    if (this.#file === undefined || this.#left < 0) throw new RangeError("More than was said");
    for (let done = 0; done < bytes.length;) done += await this.#file.write(bytes.subarray(done));
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
