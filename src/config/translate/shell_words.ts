import { UsageError } from "../options/usage_error.ts";

/** Whitespace, a continued line, a quoted piece, an escaped character, or plain ones. */
const PIECE = /\\\r?\n|(\s+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/gsy;

/**
 * The words of a command line as a shell reads them; variables stay as they are.
 * @throws {UsageError} if a quotation mark is not closed
 */
export function shellWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let end = 0;
  for (const piece of text.matchAll(PIECE)) {
    const [whole, blanks, single, double, escaped, plain] = piece;
    end = piece.index + whole.length;
    if (blanks !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const added = single ?? double?.replace(/\\(["\\$`\n])/g, "$1") ?? escaped ?? plain;
    if (added !== undefined) word = (word ?? "") + added;
  }
  if (end !== text.length) {
    throw new UsageError(
      "translate",
      `A quotation mark is not closed: ${text.slice(end, end + 40)}`,
    );
  }
  return word === undefined ? words : [...words, word];
}
