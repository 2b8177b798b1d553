import { isStandardInput, readFile, ReadFileError } from "../../../core/files/read_file.ts";
import { encodeBase64 } from "../../../client/endpoint/protocol/base64.ts";
import type { MediaKind } from "../../../client/endpoint/protocol/endpoint_type.ts";

/** The types of files by their endings. */
const MEDIA_TYPES: Readonly<Record<MediaKind, Readonly<Record<string, string>>>> = {
  image: {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "bmp": "image/bmp",
  },
  audio: {
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "flac": "audio/flac",
    "ogg": "audio/ogg",
    "m4a": "audio/mp4",
    "webm": "audio/webm",
  },
};
const NAMES: Readonly<Record<MediaKind, string>> = { image: "Image", audio: "Audio" };

/** An image or a recording that cannot be used, and why. */
export class MediaError extends Error {
  override readonly name = "MediaError";
}

/**
 * Reads the images and recordings that the rows of an input file name. What leads out of the folders that may be
 * read, also by a link, is not read: input files come from others, and media go to a server.
 */
export class MediaSource {
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
   * Recordings may also be a format and base64, `wav,UklGR...`, as in AIPerf's files.
   * @throws {MediaError} if it cannot be read, or must not be
   */
  async urlOf(kind: MediaKind, name: string): Promise<string> {
    if (/^(https?:|data:)/i.test(name)) return name;
    const types = MEDIA_TYPES[kind];
    const [, format = "", base64] = /^(\w+),([A-Za-z0-9+/=]+)$/.exec(name) ?? [];
    if (kind === "audio" && base64 !== undefined) {
      return `data:${types[format.toLowerCase()] ?? `audio/${format}`};base64,${base64}`;
    }
    const mediaType = types[name.split(".").at(-1)?.toLowerCase() ?? ""];
    if (mediaType === undefined) {
      throw new MediaError(
        `${NAMES[kind]} is not a URL, and its name has no known ending: ${shown(name)}`,
      );
    }
    const path = name.startsWith("/") ? name : this.#base + name;
    const bytes = await this.#read(path, NAMES[kind]);
    return `data:${mediaType};base64,${encodeBase64(bytes)}`;
  }

  async #read(path: string, what: string): Promise<Uint8Array> {
    const unreadable = (reason: string): MediaError =>
      new MediaError(`${what} cannot be read: ${shown(path)}: ${reason}`);
    const real = await Deno.realPath(path).catch((error) => {
      throw unreadable(error instanceof Deno.errors.NotFound ? "File does not exist" : `${error}`);
    });
    this.#roots ??= Promise.all(
      [this.#base || ".", ...this.#allowed].map((folder) => Deno.realPath(folder)),
    );
    if (!(await this.#roots).some((root) => isInside(real, root))) {
      throw new MediaError(
        `${what} is outside the input file's folder: ${shown(path)}; ` +
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
