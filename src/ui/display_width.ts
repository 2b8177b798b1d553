import utils from "npm:cli-table3@0.6.5/src/utils.js";

/**
 * Columns of a terminal that a text takes: two for ideographs and emoji, none for accents that
 * combine. The tables are drawn by the same count.
 */
export function displayWidth(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : utils.strlen(text) as number;
}

/** A text with blanks up to so many columns. */
export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}
