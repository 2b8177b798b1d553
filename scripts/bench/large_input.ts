/** Large input files of cases, and when a run of one began to send. */

import { writeAll } from "../../src/core/files/write_all.ts";

/** Lines that are written at once. */
const LINES = 4096;
const encoder = new TextEncoder();

/** Writes the JSON lines of an input file until it has a size, or a number of lines. */
export async function writeLines(
  path: string,
  line: (row: number) => unknown,
  { bytes = Infinity, lines = Infinity }: { readonly bytes?: number; readonly lines?: number },
): Promise<void> {
  const file = await Deno.open(path, { write: true, create: true, truncate: true });
  for (let row = 0, written = 0; written < bytes && row < lines; row += LINES) {
    const count = Math.min(LINES, lines - row);
    const text = Array.from({ length: count }, (_, i) => `${JSON.stringify(line(row + i))}\n`);
    const block = encoder.encode(text.join(""));
    await writeAll(file, block);
    written += block.length;
  }
  // Else the first run would share the machine with the system, which writes for seconds.
  await file.syncData();
  file.close();
}

/** Returns when the first request of a run began, in milliseconds since 1970. */
export async function firstRequestMs(folder: string): Promise<number> {
  const text = await Deno.readTextFile(`${folder}/profile_export.jsonl`);
  let first = Infinity;
  for (const [, start] of text.matchAll(/"request_start_ns":(\d+)/g)) {
    first = Math.min(first, Number(start) / 1e6);
  }
  return first;
}
