/**
 * A number: a sign, digits that commas may group by thousands, decimals, an exponent; then maybe the
 * denominator of a fraction.
 */
const NUMBER =
  /([-+\u2212]?)((?:\d{1,3}(?:,\d{3})+(?![\d])|\d+)(?:\.\d+)?|\.\d+)(?:e([-+]?\d+))?(?:\s?\/\s?(\d+(?:\.\d+)?)(?![\d/]))?/gi;
/** Fractions as LaTeX writes them. */
const LATEX_FRACTION = /\\[dt]?frac\{\s*([-+]?[\d.]+)\s*\}\{\s*([\d.]+)\s*\}/g;
/** A sign behind these is a minus between two terms, or a hyphen. */
const TERM_BEFORE = /[\p{L}\p{N})\]]/u;

/** Returns the last number in a text, by the rules of docs/answers.md; undefined if there is none. */
export function lastNumber(text: string): number | undefined {
  const plain = text.replace(LATEX_FRACTION, " $1/$2 ");
  let last: number | undefined;
  for (const match of plain.matchAll(NUMBER)) {
    const [, sign = "", digits = "", exponent, denominator] = match;
    const before = plain[match.index - 1] ?? "";
    const isNegative = sign !== "" && sign !== "+" && !TERM_BEFORE.test(before);
    const value = Number(`${digits.replaceAll(",", "")}${exponent ? `e${exponent}` : ""}`);
    // Of more than two numbers with slashes, as in a date, none is a denominator.
    last = before === "/" && denominator !== undefined
      ? Number(denominator)
      : (isNegative ? -value : value) / Number(denominator ?? 1);
  }
  return last;
}
