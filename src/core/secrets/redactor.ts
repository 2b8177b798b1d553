import { disguises, MIN_LONG_SECRET_LENGTH, writtenForm } from "./secret_forms.ts";

/** Replacement text for a secret. */
export const REDACTED = "<redacted>";

/** Takes secrets out of texts that end up in a file or on the terminal. */
export interface Redactor {
  (text: string): string;
}

/** Shorter texts are no secrets worth hiding, and would tear holes into unrelated words. */
const MIN_SECRET_LENGTH = 4;
/** Longer secrets are looked for in pieces: the patterns of their disguises grow with them. */
const MAX_PIECE_LENGTH = 256;
/** Words that stand for having no secret. */
const NO_SECRETS = new Set(["true", "false", "null", "none"]);
/** Characters of a secret's beginning that are enough where a text was cut off. */
const MIN_CUT_LENGTH = 8;
/** Texts this long may have been cut off without a mark. */
const CUT_TEXT_LENGTH = 1000;

/**
 * A redactor for these secrets: wherever one stands, in any text of a server or a runtime error,
 * it is replaced. Secrets are found as they are, as URLs, JSON and HTML write them, in base64 at any
 * offset, in hexadecimal digits, spaced out, backwards, in other letter case, and cut off.
 */
export function redactor(secrets: readonly string[]): Redactor {
  const known = [...new Set(secrets)].filter((secret) =>
    secret.length >= MIN_SECRET_LENGTH && !NO_SECRETS.has(secret.toLowerCase())
  ).flatMap(piecesOf);
  if (known.length === 0) return (text) => text;
  const long = known.filter(isLong);
  // Where a secret is taken out, so is a longer one with it in it.
  const innermost = long.filter((secret) =>
    !long.some((other) => other !== secret && secret.includes(other))
  );
  const patterns = [
    // The longest first: a secret may be part of another.
    new RegExp(
      known.map((secret) => {
        const form = writtenForm(secret);
        return isLong(secret) ? form : `(?<![A-Za-z0-9])${form}(?![A-Za-z0-9])`;
      }).sort((a, b) => b.length - a.length).join("|"),
      "g",
    ),
    ...innermost.flatMap(disguises),
  ];
  return (text) => {
    const redacted = patterns.reduce((text, pattern) => text.replace(pattern, REDACTED), text);
    return long.reduce(withoutBeginning, redacted);
  };
}

/**
 * Returns a redactor for metrics responses and command lines, which replaces only secrets that are
 * more than a word. A key such as `token`, a placeholder for servers that require none, is also
 * part of the names of metrics and options.
 */
export function pageRedactor(secrets: readonly string[]): Redactor {
  return redactor(secrets.filter(isLong));
}

function piecesOf(secret: string): string[] {
  const count = Math.ceil(secret.length / MAX_PIECE_LENGTH);
  const length = Math.ceil(secret.length / count);
  return Array.from({ length: count }, (_, i) => secret.slice(i * length, (i + 1) * length));
}

/**
 * Whether a secret is long enough to be redacted anywhere. A secret of only digits is not, since
 * it may be part of other numbers.
 */
function isLong(secret: string): boolean {
  return secret.length >= MIN_LONG_SECRET_LENGTH && !/^\d+$/.test(secret);
}

/** A text without the beginning of a secret where the rest was cut off or masked. */
function withoutBeginning(text: string, secret: string): string {
  const beginning = secret.slice(0, MIN_CUT_LENGTH);
  let redacted = "";
  let from = 0;
  for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, from)) {
    let end = at + MIN_CUT_LENGTH;
    while (end < text.length && text[end] === secret[end - at]) end++;
    const isCut = end === text.length
      ? text.length >= CUT_TEXT_LENGTH
      : /^(?:\.\.|…|\*|\[)/.test(text.slice(end, end + 2));
    redacted += text.slice(from, at) + (isCut ? REDACTED : text.slice(at, end));
    from = end;
  }
  return redacted + text.slice(from);
}

/**
 * JSON text without secrets, which stays JSON: texts are redacted within their quotes, a number that
 * is a secret becomes a text.
 */
export function redactedJson(json: string, redact: Redactor): string {
  if (redact(json) === json) return json;
  return json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g, (token) => {
    const redacted = redact(token);
    return redacted === token || token.startsWith('"') ? redacted : `"${REDACTED}"`;
  });
}
