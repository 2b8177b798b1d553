import utils from "cli-table3/src/utils.js";

/**
 * Columns of a terminal that a text takes: two for ideographs and emoji, none for accents that
 * combine. The tables are drawn by the same count.
 */
export function displayWidth(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : utils.strlen(text) as number;
}
