/** Characters of an excerpt before its place. */
const CONTEXT = 80;
/** Longest excerpt, in characters. */
const MAX_LENGTH = 400;
const LOW_SURROGATE = /^[\uDC00-\uDFFF]/;

/**
 * Returns the part of a text around a place, with dots where text is missing. Parts of two texts that
 * begin alike begin at the same character.
 * @param at character of the place, from 0
 */
export function excerpt(text: string, at: number): string {
  const from = boundary(text, Math.max(0, at - CONTEXT));
  const to = boundary(text, Math.min(text.length, from + MAX_LENGTH));
  return `${from > 0 ? "... " : ""}${text.slice(from, to)}${to < text.length ? " ..." : ""}`;
}

/** Returns the end of a text, as long as an excerpt. */
export function ending(text: string): string {
  return excerpt(text, text.length - MAX_LENGTH + CONTEXT);
}

/** The place, or the one before it where it would cut a character in two. */
function boundary(text: string, at: number): number {
  return at > 0 && LOW_SURROGATE.test(text.slice(at, at + 1)) ? at - 1 : at;
}
