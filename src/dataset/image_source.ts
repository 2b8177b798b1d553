import { isStandardInput, readFile, ReadFileError } from "../files/read_file.ts";
import { encodeBase64 } from "./encode_base64.ts";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  "png": "image/png",
  "jpg": "image/jpeg",
  "jpeg": "image/jpeg",
  "gif": "image/gif",
  "webp": "image/webp",
  "bmp": "image/bmp",
};

/** An image that cannot be used, and why. */
export class ImageError extends Error {
  override readonly name = "ImageError";
}

/**
 * Reads the images that the rows of an input file name. What leads out of the folders that may be
 * read, also by a link, is not read: input files come from others, and images go to a server.
 */
export class ImageSource {
  /** Where relative paths begin, with a slash at the end. */
  readonly #base: string;
  readonly #allowed: readonly string[];
  readonly #interrupt: AbortSignal;
  #roots: Promise<string[]> | undefined;

  /** @param allowed folders that may be read besides the input file's own */
  constructor(inputPath: string, allowed: readonly string[], interrupt: AbortSignal) {
    this.#base = isStandardInput(inputPath) ? "" : inputPath.replace(/[^/]*$/, "");
    this.#allowed = allowed;
    this.#interrupt = interrupt;
  }

  /**
   * A URL or data URI as it is; a path, relative to the input file, as a data URI of its bytes.
   * @throws {ImageError} if it cannot be read, or must not be
   */
  async urlOf(image: string): Promise<string> {
    if (/^(https?:|data:)/i.test(image)) return image;
    const mediaType = MEDIA_TYPES[image.split(".").at(-1)?.toLowerCase() ?? ""];
    if (mediaType === undefined) {
      throw new ImageError(`Image is not a URL, and its name has no known ending: ${shown(image)}`);
    }
    const path = image.startsWith("/") ? image : this.#base + image;
    const bytes = await this.#read(path);
    return `data:${mediaType};base64,${encodeBase64(bytes)}`;
  }

  async #read(path: string): Promise<Uint8Array> {
    const unreadable = (reason: string): ImageError =>
      new ImageError(`Image cannot be read: ${shown(path)}: ${reason}`);
    const real = await Deno.realPath(path).catch((error) => {
      throw unreadable(error instanceof Deno.errors.NotFound ? "File does not exist" : `${error}`);
    });
    this.#roots ??= Promise.all(
      [this.#base || ".", ...this.#allowed].map((folder) => Deno.realPath(folder)),
    );
    if (!(await this.#roots).some((root) => isInside(real, root))) {
      throw new ImageError(
        `Image is outside the input file's folder: ${shown(path)}; ` +
          `--allow-files allows further folders`,
      );
    }
    try {
      return await readFile(real, { signal: this.#interrupt });
    } catch (error) {
      throw error instanceof ReadFileError ? unreadable(error.message) : error;
    }
  }
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(/[/\\]$/.test(folder) ? folder : `${folder}/`) ||
    path.startsWith(`${folder}\\`);
}

/** A name as a file gives it, in a form that does no harm to a terminal. */
function shown(name: string): string {
  return /\p{Cc}/u.test(name) ? JSON.stringify(name) : name;
}
