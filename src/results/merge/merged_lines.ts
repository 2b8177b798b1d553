/**
 * Files with a line for each request, made of those of shards: lines are copied as they are, in the
 * order of the records.
 */

import type { RecordStretch } from "../../client/record/record_stretches.ts";
import type { LineSink } from "../../report/export/file_sink.ts";

const READ_BYTES = 1 << 18;
const LINE_FEED = 10;
/** Bytes that are written at once, about. */
const WRITE_BYTES = 1 << 20;

/** A file of lines that is read piece by piece. */
export interface LineFile {
  readSync(buffer: Uint8Array): number | null;
}

/** What happens to a line besides being copied; undefined where it stays as it is. */
export type LineChange = (line: string) => string;

/**
 * Copies a line for each record.
 * @param files the lines of each source of the stretches; undefined where it has none
 * @param changes what happens to the lines of each source
 * @returns how many records of each source have no line
 */
export function copyLines(
  stretches: Iterable<RecordStretch>,
  files: readonly (LineFile | undefined)[],
  changes: readonly (LineChange | undefined)[],
  sink: LineSink,
): number[] {
  const readers = files.map((file) => file && new LineReader(file));
  const missing = files.map(() => 0);
  const output = new OutputBuffer(sink);
  for (const { source, start, end } of stretches) {
    const reader = readers[source];
    const change = changes[source];
    for (let left = end - start; left > 0;) {
      const taken = reader?.take(change === undefined ? left : 1);
      if (taken === undefined) {
        missing[source] = (missing[source] as number) + left;
        break;
      }
      output.add(change === undefined ? taken.bytes : changed(taken.bytes, change));
      left -= taken.lines;
    }
  }
  output.flush();
  return missing;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function changed(line: Uint8Array, change: LineChange): Uint8Array {
  return encoder.encode(`${change(decoder.decode(line.subarray(0, -1)))}\n`);
}

/** Gathers bytes until it is worth to write them. */
class OutputBuffer {
  readonly #sink: LineSink;
  #bytes = new Uint8Array(WRITE_BYTES * 2);
  #length = 0;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  add(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) {
      this.flush();
      if (bytes.length > this.#bytes.length) return this.#sink.append([bytes]);
    }
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    if (this.#length >= WRITE_BYTES) this.flush();
  }

  flush(): void {
    if (this.#length > 0) this.#sink.append([this.#bytes.subarray(0, this.#length)]);
    this.#length = 0;
  }
}

/** Gives whole lines; what a killed process wrote of its last one is left out. */
class LineReader {
  readonly #file: LineFile;
  #buffer = new Uint8Array(READ_BYTES);
  #start = 0;
  #end = 0;
  #isOver = false;

  constructor(file: LineFile) {
    this.#file = file;
  }

  /**
   * Up to so many lines that lie in one piece, each with its line end; undefined if there is none
   * left. Valid until the next call.
   */
  take(most: number): { readonly bytes: Uint8Array; readonly lines: number } | undefined {
    for (;;) {
      const { bytes, lines } = this.#linesHere(most);
      if (lines > 0) {
        this.#start += bytes.length;
        return { bytes, lines };
      }
      if (!this.#read()) return undefined;
    }
  }

  #linesHere(most: number): { readonly bytes: Uint8Array; readonly lines: number } {
    const held = this.#buffer.subarray(this.#start, this.#end);
    let length = 0;
    let lines = 0;
    while (lines < most) {
      const end = held.indexOf(LINE_FEED, length);
      if (end < 0) break;
      length = end + 1;
      lines++;
    }
    return { bytes: held.subarray(0, length), lines };
  }

  #read(): boolean {
    if (this.#isOver) return false;
    const held = this.#end - this.#start;
    const buffer = held * 2 > this.#buffer.length
      ? new Uint8Array(this.#buffer.length * 2)
      : this.#buffer;
    buffer.set(this.#buffer.subarray(this.#start, this.#end));
    this.#buffer = buffer;
    this.#start = 0;
    this.#end = held;
    const read = this.#file.readSync(buffer.subarray(held));
    this.#isOver = read === null;
    this.#end += read ?? 0;
    return !this.#isOver;
  }
}

/** Moves the times of a line, nanoseconds since 1970, from one clock to another. */
export function movedTimes(shiftNs: number): LineChange {
  const shift = BigInt(shiftNs);
  return (line) =>
    line.replace(
      /(?<!\\)"(\w+_ns)":(\d{19})(?!\d)/g,
      (_, name, digits) => `"${name}":${BigInt(digits) + shift}`,
    );
}

/** Says in a line that shards of its run are missing. */
export function markedIncomplete(text: string): LineChange {
  const mark = `{"metadata":{"incomplete":${JSON.stringify(text)},`;
  return (line) => line.replace(/^\{"metadata":\{/, () => mark);
}
