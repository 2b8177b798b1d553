import { LINE_FEED } from "./characters.ts";

const REPLACEMENT = "\ufffd";
const BYTE_ORDER_MARK = 0xfeff;
const tolerant = new TextDecoder("utf-8", { ignoreBOM: true });

/** A page as text. */
export interface DecodedPage {
  readonly text: string;
  /** Start of its first line: 1 behind a byte order mark. */
  readonly start: number;
  /** Numbers of the lines that are not UTF-8, counted from 1; each contains U+FFFD in the text. */
  readonly brokenLines: Set<number>;
}

/** Decodes a page; bytes that are no UTF-8 become U+FFFD. */
export function decodePage(page: Uint8Array | string): DecodedPage {
  const brokenLines = new Set<number>();
  const text = typeof page === "string" ? page : decodeLines(page, 1, brokenLines);
  return { text, start: startsWithMark(page) ? 1 : 0, brokenLines };
}

/** Whether a page starts with a byte order mark. */
export function startsWithMark(page: Uint8Array | string): boolean {
  if (typeof page === "string") return page.charCodeAt(0) === BYTE_ORDER_MARK;
  return page[0] === 0xef && page[1] === 0xbb && page[2] === 0xbf;
}

/**
 * Decodes whole lines; bytes that are no UTF-8 become U+FFFD.
 * @param firstLine the number of the first of them
 * @param brokenLines gets the numbers of lines that are not UTF-8
 */
export function decodeLines(
  lines: Uint8Array,
  firstLine: number,
  brokenLines: Set<number>,
): string {
  const text = tolerant.decode(lines);
  if (text.includes(REPLACEMENT)) noteBrokenLines(lines, firstLine, brokenLines);
  return text;
}

/** Scans the bytes once: a scrape may be invalid in each of its lines. */
function noteBrokenLines(page: Uint8Array, firstLine: number, brokenLines: Set<number>): void {
  let line = firstLine;
  let at = 0;
  while (at < page.length) {
    const byte = page[at] as number;
    if (byte < 0x80) {
      if (byte === LINE_FEED) line++;
      at++;
      continue;
    }
    const length = sequenceLength(page, at, byte);
    if (length === 0) brokenLines.add(line);
    at += length === 0 ? 1 : length;
  }
}

/** Bytes of the character that starts with `lead`, 0 if it is not well formed. */
function sequenceLength(page: Uint8Array, at: number, lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (at + length > page.length) return 0;
  const second = page[at + 1] as number;
  if (lead === 0xe0 ? second < 0xa0 : lead === 0xf0 && second < 0x90) return 0;
  if (lead === 0xed ? second > 0x9f : lead === 0xf4 && second > 0x8f) return 0;
  for (let next = 1; next < length; next++) {
    if (((page[at + next] as number) & 0xc0) !== 0x80) return 0;
  }
  return length;
}
