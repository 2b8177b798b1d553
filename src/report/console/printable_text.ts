/** Control characters, and those that turn the direction of what follows them. */
// deno-lint-ignore no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g;

/** Most characters of a note: a sentence of this program, whose strange parts are short already. */
export const NOTE_LENGTH = 2000;

/**
 * Words of a server or an input file without what could disturb a terminal, on one line, and not too
 * many of them.
 */
export function printableText(text: string, maxLength = 300): string {
  const plain = text.replace(UNPRINTABLE, " ").trim();
  if (plain.length <= maxLength) return plain;
  // Not in the middle of a character of two units.
  return `${plain.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "")}...`;
}
