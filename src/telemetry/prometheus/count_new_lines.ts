import { HASH, SPACE } from "./characters.ts";

/** Bytes of a page that are decoded at a time. */
const PIECE_BYTES = 1 << 18;
const NAME_END = /[{ \t]/g;

/** Settings of {@linkcode countNewLines}. */
export interface NewLines {
  /** Whether a metric name is looked for. */
  isWanted(name: string): boolean;
  /** Whether the series of the text between two places is known. */
  isKnown(text: string, start: number, end: number): boolean;
}

/**
 * Counts the samples of a page that have wanted names and belong to series that are not known yet,
 * in steps of a few milliseconds. Lines that start with labels or whitespace are not counted.
 */
export function* countNewLines(
  page: Uint8Array | string,
  { isWanted, isKnown }: NewLines,
): Generator<void, number> {
  const wanted = new Map<string, boolean>();
  let count = 0;
  for (const text of pieces(page)) {
    for (let start = 0; start < text.length;) {
      const feed = text.indexOf("\n", start);
      const end = feed < 0 ? text.length : feed;
      if (text.charCodeAt(start) !== HASH) {
        NAME_END.lastIndex = start;
        const nameEnd = Math.min(end, NAME_END.exec(text)?.index ?? end);
        const name = text.slice(start, nameEnd);
        let isNamed = wanted.get(name);
        if (isNamed === undefined) wanted.set(name, isNamed = name !== "" && isWanted(name));
        if (isNamed) {
          const close = text.charCodeAt(nameEnd) === SPACE ? -1 : text.indexOf("}", nameEnd);
          const seriesEnd = close < 0 || close >= end ? nameEnd : close + 1;
          count += isKnown(text, start, seriesEnd) ? 0 : 1;
        }
      }
      start = end + 1;
    }
    yield;
  }
  return count;
}

/** Text of a page in pieces of whole lines. */
function* pieces(page: Uint8Array | string): Generator<string> {
  if (typeof page === "string") return yield page;
  const decoder = new TextDecoder();
  let rest = "";
  for (let start = 0; start < page.length; start += PIECE_BYTES) {
    const text = rest + decoder.decode(page.subarray(start, start + PIECE_BYTES), { stream: true });
    const complete = text.lastIndexOf("\n") + 1;
    rest = text.slice(complete);
    yield text.slice(0, complete);
  }
  yield rest;
}
