/**
 * A `run.json` that is not as it was written. It is read all the same, as people change tags and names
 * in it; what it says by mistake can make anything go wrong later.
 */

import { writeMessage } from "./terminal.ts";

let changed: string | undefined;

/** Warns of such a file, which is opened. */
export function warnOfChange(path: string): void {
  changed = path;
  writeMessage("warning", `${path} was modified: its values may be wrong`);
}

/**
 * What to say instead of an unforeseen error, as such a file was opened.
 * @returns undefined if none was: the error is a defect
 */
export function errorOfChange(message: string): string | undefined {
  if (changed === undefined) return undefined;
  return `${changed}: damaged, or changed by something else: ${message}`;
}
