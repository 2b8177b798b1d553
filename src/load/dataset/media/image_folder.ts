import { readFile, ReadFileError } from "../../../core/files/read_file.ts";
import type { ImageFolderPlan } from "../../../config/plan/media_plan.ts";
import { randomStream } from "../../../core/statistics/random_stream.ts";
import { DatasetError } from "../../../core/files/dataset_error.ts";
import { decodedPixels, type Pixels } from "./pixels.ts";

/** Number of decoded images that are cached. */
const KEPT = 16;

/** Images of a folder, in the order of a plan. */
export class ImageFolder {
  readonly #plan: ImageFolderPlan;
  readonly #seed: number;
  readonly #names: readonly string[];
  readonly #kept = new Map<string, Pixels>();

  private constructor(plan: ImageFolderPlan, seed: number, names: readonly string[]) {
    this.#plan = plan;
    this.#seed = seed;
    this.#names = names;
  }

  /**
   * Lists the images of a folder.
   * @throws {DatasetError} if it cannot be read or has no images
   */
  static async open(plan: ImageFolderPlan, seed: number): Promise<ImageFolder> {
    const names: string[] = [];
    try {
      for await (const { name, isFile } of Deno.readDir(plan.folder)) {
        if (isFile && /\.(png|jpe?g)$/i.test(name)) names.push(name);
      }
    } catch (error) {
      const reason = error instanceof Deno.errors.NotFound ? "There is no such folder" : `${error}`;
      throw new DatasetError(plan.folder, undefined, `--image-source: ${reason}`);
    }
    if (names.length === 0) {
      throw new DatasetError(
        plan.folder,
        undefined,
        "--image-source: There are no PNG or JPEG files",
      );
    }
    return new ImageFolder(plan, seed, names.sort());
  }

  /**
   * Returns the image of this number.
   * @throws {DatasetError} if its file cannot be read
   */
  async picture(number: number): Promise<Pixels> {
    const path = `${this.#plan.folder}/${this.#names[this.#placeOf(number)]}`;
    const known = this.#kept.get(path);
    if (known !== undefined) return known;
    let pixels: Pixels;
    try {
      pixels = await decodedPixels(await readFile(path));
    } catch (error) {
      const reason = error instanceof ReadFileError
        ? error.message
        : `No PNG or JPEG that can be read: ${(error as Error).message}`;
      throw new DatasetError(path, undefined, reason);
    }
    if (this.#kept.size < KEPT) this.#kept.set(path, pixels);
    return pixels;
  }

  #placeOf(number: number): number {
    const count = this.#names.length;
    switch (this.#plan.sampling) {
      case "sequential-cycle":
        return number % count;
      case "shuffle-cycle":
        return this.#shuffled(Math.floor(number / count))[number % count] as number;
      case "random-with-replacement":
        return Math.floor(randomStream(this.#seed, "dataset.image.source", number)() * count);
    }
  }

  #shuffled(cycle: number): number[] {
    const random = randomStream(this.#seed, "dataset.image.cycle", cycle);
    const places = this.#names.map((_, place) => place);
    for (let left = places.length - 1; left > 0; left--) {
      const other = Math.floor(random() * (left + 1));
      [places[left], places[other]] = [places[other] as number, places[left] as number];
    }
    return places;
  }
}
