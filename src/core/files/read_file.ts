/** Reading of what users name: files that are files, of a size that can be meant. */

import { fileReason } from "./file_reason.ts";
import { whileBlocking } from "../thread/signal_pause.ts";
import { untilAborted } from "../thread/until_aborted.ts";

/** Limits of what may be read. */
export interface ReadFileOptions {
  /** A larger file is refused. @default Infinity */
  readonly maxBytes?: number;
  /** Whether `-` is standard input, and a pipe is read until it ends. @default false */
  readonly pipes?: boolean;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
}

/** A file that cannot be read; the message is for users and names no path. */
export class ReadFileError extends Error {
  override readonly name = "ReadFileError";
}

/** The names of standard input: the runtime does not allow the system's names to be opened. */
const STANDARD_INPUT = /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;

/** Whether a path names standard input. */
export function isStandardInput(path: string): boolean {
  return STANDARD_INPUT.test(path);
}

/**
 * Reads a file.
 * @throws {ReadFileError} if it cannot be read, is a device or too large
 */
export async function readFile(path: string, options: ReadFileOptions = {}): Promise<Uint8Array> {
  const { maxBytes = Infinity, pipes = false, signal } = options;
  signal?.throwIfAborted();
  try {
    if (pipes && isStandardInput(path)) {
      return await readStream(Deno.stdin.readable, maxBytes, signal);
    }
    const { isFile, isFifo, isDirectory, size } = await Deno.stat(path);
    if (isDirectory) throw new ReadFileError("Is a folder");
    if (!isFile && !(pipes && isFifo)) {
      throw new ReadFileError("Is not a file but a device or a pipe");
    }
    if (size > maxBytes) throw new ReadFileError(tooLarge(maxBytes));
    if (isFile) return await Deno.readFile(path, signal === undefined ? {} : { signal });
    const { readable } = await whileBlocking(() => untilAborted(Deno.open(path), signal));
    return await readStream(readable, maxBytes, signal);
  } catch (error) {
    if (error instanceof ReadFileError || signal?.aborted) throw error;
    throw new ReadFileError(reasonOf(error));
  }
}

/**
 * The text of bytes.
 * @throws {ReadFileError} if they are not UTF-8; it names the line
 */
export function utf8Text(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ReadFileError(`Not valid UTF-8 in line ${badLine(bytes)}`);
  }
}

/** The first line that is not UTF-8; a byte of a character is never a line end. */
function badLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let start = 0, line = 1;; line++) {
    const end = bytes.indexOf(10, start);
    try {
      decoder.decode(bytes.subarray(start, end < 0 ? bytes.length : end));
    } catch {
      return line;
    }
    if (end < 0) return line;
    start = end + 1;
  }
}

async function readStream(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { value, done } = await untilAborted(reader.read(), signal);
    if (done) break;
    pieces.push(value);
    length += value.length;
    if (length > maxBytes) throw new ReadFileError(tooLarge(maxBytes));
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

function tooLarge(maxBytes: number): string {
  return `Is larger than ${maxBytes / 1e6} MB`;
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "File does not exist";
  if (error instanceof Deno.errors.NotCapable) return "The runtime has no permission to read it";
  return fileReason(error);
}
