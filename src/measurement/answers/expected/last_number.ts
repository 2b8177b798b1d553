/**
 * A number: a sign, maybe a currency, digits that commas may group by thousands, decimals, an
 * exponent; then maybe the denominator of a fraction.
 */
const NUMBER =
  /([-+\u2212]?)(?:\\?[$€£¥])?((?:\d{1,3}(?:,\d{3})+(?![\d])|\d+)(?:\.\d+)?|\.\d+)(?:e([-+]?\d+))?(?:\s?\/\s?(\d+(?:\.\d+)?)(?![\d/]))?/gi;
/** Fractions as LaTeX writes them. */
const LATEX_FRACTION =
  /([-+\u2212]?)\\[dt]?frac(?:\{\s*([-+]?[\d.]+)\s*\}\{\s*([\d.]+)\s*\}|\s?(\d)\s?(\d))/g;
/** Fractions of one character, which may follow an integer. */
const ONE_CHARACTER_FRACTION = /(\d{0,9})([\u00bc-\u00be\u2150-\u215e])/g;
/** Marks between thousands: of LaTeX, apostrophes, underscores, and spaces that do not break. */
const THOUSANDS_MARK = /(?<=\d)(?:\{,\}|\\[,!]|,\\!|['\u2019_\u00a0\u2009\u202f])(?=\d{3}(?!\d))/g;
/** A power of ten, as in `6 × 10^5`. */
const POWER_OF_TEN = /(?<=\d)\s*(?:[×*·x]|\\times|\\cdot)\s*10\s*\^\s*\{?\s*([-+\u2212]?\d+)\}?/g;
/** Exponent in superscript digits, as in `6 × 10⁵`. */
const RAISED_EXPONENT =
  /(?<=[×*·x]\s{0,3}10)[\u207a\u207b]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+/g;
/** Exponent of a unit or variable, as in `m^2`, which is no number. */
const LETTER_EXPONENT = /(?<=[\p{L}}])\s?\^\s?(?:[-+\u2212]?\d+|\{\s?[-+\u2212]?\d+\s?\})/gu;
const BOX = "\\boxed{";
/** A sign behind these is a minus between two terms, or a hyphen. */
const TERM_BEFORE = /[\p{L}\p{N})\]]/u;

/** Returns the last number in a text, by the rules of docs/answers.md; undefined if there is none. */
export function lastNumber(text: string): number | undefined {
  return lastIn(lastBoxed(text)) ?? lastIn(text);
}

/** Content of the last `\boxed{}` of a text; empty for none. */
function lastBoxed(text: string): string {
  const start = text.lastIndexOf(BOX);
  if (start < 0) return "";
  let depth = 1;
  for (let at = start + BOX.length; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return text.slice(start + BOX.length, at);
  }
  // The token limit may have cut the reply off.
  return text.slice(start + BOX.length);
}

function lastIn(text: string): number | undefined {
  const plain = plainNumbers(text);
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

/** A text whose numbers are written with digits only. */
function plainNumbers(text: string): string {
  return text.replace(THOUSANDS_MARK, ",")
    .replace(
      LATEX_FRACTION,
      (_, sign: string, one?: string, other?: string, digit?: string, second?: string) =>
        `${sign || " "}${one ?? digit}/${other ?? second} `,
    )
    .replace(
      ONE_CHARACTER_FRACTION,
      (_, integer: string, fraction: string) => String(Number(integer) + fractionValue(fraction)),
    )
    .replace(RAISED_EXPONENT, (digits) => `^${digits.normalize("NFKC")}`)
    .replace(
      POWER_OF_TEN,
      (_, exponent: string) => `e${exponent.replace("\u2212", "-")}`,
    )
    .replace(LETTER_EXPONENT, " ");
}

/** Value of a character such as ¾, which is compatible with `3⁄4`. */
function fractionValue(fraction: string): number {
  const [one, other] = fraction.normalize("NFKC").split("\u2044").map(Number);
  return (one ?? 0) / (other ?? 1);
}
