import { eastAsianWidth } from "npm:get-east-asian-width@1.7.0";

/** Texts of which each character takes one column: ASCII, and Latin letters and signs with accents. */
const NARROW = /^[\x20-\x7e\xa1-\xac\xae-\u02ff]*$/;
const NO_COLUMN = /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Mark}\p{Surrogate}]+$/u;

/** Takes 10 ms to make, which few texts need. */
let graphemes: Intl.Segmenter | undefined;

/**
 * Columns of a terminal that a text takes: two for ideographs and emoji, none for accents that
 * combine. The tables are drawn by the same count.
 */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  graphemes ??= new Intl.Segmenter();
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (NO_COLUMN.test(grapheme)) return 0;
  // Not made where no text needs it: it takes milliseconds.
  return /^\p{RGI_Emoji}$/v.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0) as number);
}

/** Pads a text with trailing spaces to a number of columns. */
export function padded(text: string, width: number): string {
  return text + blanks(text, width);
}

/** Pads a text with leading spaces to a number of columns. */
export function paddedBefore(text: string, width: number): string {
  return blanks(text, width) + text;
}

function blanks(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - displayWidth(text)));
}
