import {
  BACKSLASH,
  CLOSING_BRACE,
  DOUBLE_QUOTE,
  OPENING_BRACE,
  skipBlanks,
  SPACE,
  TAB,
} from "./characters.ts";

/**
 * Where name and labels that start at `position` end, if the line is well formed: the text up to
 * there names a series, whether or not it is well formed.
 */
export function seriesTextEnd(text: string, position: number, end: number): number {
  let at = position;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code === OPENING_BRACE) break;
    if (code === SPACE || code === TAB) {
      const next = skipBlanks(text, at, end);
      if (next === end || text.charCodeAt(next) !== OPENING_BRACE) return at;
      at = next;
      break;
    }
    at++;
  }
  let quoted = false;
  while (at < end) {
    const code = text.charCodeAt(at++);
    if (code === DOUBLE_QUOTE) quoted = !quoted;
    else if (code === BACKSLASH && quoted) at++;
    else if (code === CLOSING_BRACE && !quoted) return at;
  }
  return end;
}
