/**
 * Brackets and marks of emphasis that may surround a letter. The number of marks and blanks is
 * limited: a long row of them must not take much time.
 */
const OPEN = String.raw`(?:[*_(\["'\x60]|\\[a-z]{1,9}\{|\$){0,9}`;
const CLOSE = String.raw`[*_)\]}"'\x60$]*`;

/** Longest answer that may be a letter with marks around it. */
const MAX_WHOLE = 40;
/** The whole answer is a letter. */
const WHOLE = new RegExp(`^${OPEN}([a-z])${CLOSE}[.:]?${CLOSE}$`, "i");
/** Letters after these words: "answer is: B", "<answer>B", then "option (B)". */
const NAMED = ["answer", "choice|option"].map((word) =>
  new RegExp(
    String.raw`\b(?:${word})\b[*_"']{0,4}(?:\s{1,4}is)?\s{0,4}[:=>]?[*_]{0,4}\s{0,4}` +
      String.raw`(?:(?:option|choice|letter)\s{1,4})?${OPEN}([A-Z])(?![\p{L}\p{N}'])`,
    "giu",
  )
);
/** Marks between a letter and the end of its line. */
const LINE_END = new RegExp(String.raw`^${CLOSE}\.?${CLOSE}[ \t]*(?:\n|$)`);
const BOXED = /\\boxed\{\s{0,4}(?:\\[a-z]{1,9}\{)?\s{0,4}\(?([A-Z])\)?\s{0,4}\}/g;
/** A line that begins with a letter, as choices are listed. */
const LINE = new RegExp(String.raw`^[ \t]*${OPEN}([A-Z])${CLOSE}(?:[.:)]|[ \t]*$)`, "mu");
const BRACKETED = /\(([A-Z])\)/g;

/** Returns the letter that an answer chooses, by the rules of docs/answers.md; undefined for none. */
export function chosenLetter(answer: string): string | undefined {
  const text = answer.trim();
  const whole = text.length > MAX_WHOLE ? undefined : WHOLE.exec(text)?.[1];
  const letter = whole ?? last(text, BOXED) ??
    NAMED.map((pattern) => lastNamed(text, pattern)).find((one) => one !== undefined) ??
    LINE.exec(text)?.[1] ?? last(text, BRACKETED);
  return letter?.toUpperCase();
}

function last(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}

/** A letter in lower case is a word, as in "the answer is a bit long", unless it ends its line. */
function lastNamed(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].filter((match) => {
    const [whole, letter = ""] = match;
    const end = match.index + whole.length;
    return letter === letter.toUpperCase() || LINE_END.test(text.slice(end, end + MAX_WHOLE));
  }).at(-1)?.[1];
}
