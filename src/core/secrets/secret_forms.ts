/**
 * The forms in which a secret may come back: as patterns, parts of regular expressions.
 */

const encoder = new TextEncoder();

/**
 * Length at which a secret is more than a word: from this length onwards it is also found within
 * words, and encoded.
 */
export const MIN_LONG_SECRET_LENGTH = 8;

/** Secrets that are longer are looked for in fewer disguises: the pattern would be too large. */
const MAX_DISGUISED_LENGTH = 1024;
/** Characters that may stand between those of a text that is spaced out. */
const SEPARATOR = "[\\s.,:|*_\u200b-\u200d\u2060-]";
/**
 * Text that may separate the hexadecimal digits of two bytes: nothing, `%`, `\x`, `, 0x`, `;&#x`.
 */
const HEX_GAP = "(?:[\\s,:;%&#\\\\-]|0?x|u00){0,4}";
/** Characters that HTML has a name for. */
const HTML_NAMES: ReadonlyMap<string, string> = new Map([
  ...[["&", "amp"], ["<", "lt"], [">", "gt"], ['"', "quot"], ["'", "apos"]] as const,
]);

/**
 * The secret as it is and as URLs, forms, JSON and HTML write it. Their writers differ in which
 * characters they escape and how: Go writes `\u0026` for `&`, .NET `\u002B` for `+`, PHP `\/`.
 */
export function writtenForm(secret: string): string {
  return secret.replace(/\\+|[^\w-]/gu, (text) => {
    // Half as many may be meant as there are: to try them one by one would take forever.
    if (text.startsWith("\\")) {
      return `(?:\\\\{${text.length},${2 * text.length}}|${encoded(text)})`;
    }
    const ownEscape = text === "/" ? "\\/" : JSON.stringify(text).slice(1, -1);
    return `(?:${escaped(text)}|${escaped(ownEscape)}|${encoded(text)})`;
  });
}

/** Patterns of the ways to write characters as numbers, or by names. */
function encoded(text: string): string {
  const units = text.split("").map((unit) => `\\\\u${hexPattern(unit.charCodeAt(0), 4)}`);
  const bytes = [...encoder.encode(text)].map((byte) => `%${hexPattern(byte, 2)}`);
  const entities = [...text].map((character) => {
    const code = character.codePointAt(0) as number;
    const names = [`#0*${code}`, `#[xX]0*${hexPattern(code, 1)}`, HTML_NAMES.get(character) ?? []];
    return `&(?:${names.flat().join("|")});`;
  });
  const forms = [units, bytes, entities].map((each) => each.join(""));
  return [...forms, ...(text === " " ? ["\\+"] : [])].join("|");
}

/** Hexadecimal digits of either case. */
function hexPattern(code: number, digits: number): string {
  return hexOf(code, digits).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** The secret in disguise: base64 of whatever has it in it, hexadecimal, spaced out, backwards. */
export function disguises(secret: string): RegExp[] {
  const base64 = new RegExp([0, 1, 2].map((offset) => base64Form(secret, offset)).join("|"), "g");
  if (secret.length > MAX_DISGUISED_LENGTH) return [base64];
  const bytes = [...encoder.encode(secret)].map((byte) => hexOf(byte, 2));
  const patterns = [base64, new RegExp(bytes.join(HEX_GAP), "gi")];
  // Its own separators may be there or not, which is also what keeps the pattern fast.
  const characters = [...secret.replace(new RegExp(SEPARATOR, "g"), "")].map(escaped);
  if (characters.length < MIN_LONG_SECRET_LENGTH) return patterns;
  const spaced = [characters, characters.toReversed()].map((text) =>
    text.join(`${SEPARATOR}{0,6}`)
  );
  return [...patterns, new RegExp(spaced.join("|"), "gi")];
}

/**
 * Returns the characters of base64 that belong only to this secret, `offset` bytes behind the start
 * of a group of three, and the possible characters that it shares with its neighbours. Covers
 * standard and URL-safe base64, also as JSON and URLs write them.
 */
function base64Form(secret: string, offset: number): string {
  const bytes = encoder.encode(secret);
  const padded = new Uint8Array(offset + bytes.length);
  padded.set(bytes, offset);
  const shared = Math.ceil(offset * 8 / 6);
  const own = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join(""))
    .slice(shared, Math.floor(padded.length * 8 / 6))
    .replaceAll("+", "(?:[+-]|%2[Bb])")
    .replaceAll("/", "(?:\\\\?/|_|%2[Ff])");
  const end = padded.length % 3 === 0 ? "" : "(?:[\\w+/-](?:=|%3[Dd]){0,2})?";
  return `[\\w+/-]{0,${shared}}${own}${end}`;
}

function hexOf(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
