/** Brackets and marks of emphasis that may surround a letter. */
const OPEN = String.raw`(?:[*_(\["'\x60]|\\boxed\{|\\text\{|\$)*`;
const CLOSE = String.raw`[*_)\]}"'\x60$]*`;

/** Longest answer that may be a letter with marks around it. */
const MAX_WHOLE = 40;
/** The whole answer is a letter. */
const WHOLE = new RegExp(`^${OPEN}([a-z])${CLOSE}[.:]?${CLOSE}$`, "i");
/** "answer is B", "Answer: (B)", "option B". */
const NAMED = new RegExp(
  String.raw`\b(?:answer|choice|option)\b[*_]*(?:\s+is|\s*[:=])?[*_]*\s*` +
    String.raw`(?:(?:option|choice|letter)\s+)?${OPEN}([A-Z])(?![\p{L}\p{N}'])`,
  "giu",
);
/** Marks between a letter and the end of its line. */
const LINE_END = new RegExp(String.raw`^${CLOSE}\.?${CLOSE}[ \t]*(?:\n|$)`);
const BOXED = /\\boxed\{\s*(?:\\text\{)?\s*\(?([A-Z])\)?\s*\}/g;
/** A line that begins with a letter, as choices are listed. */
const LINE = new RegExp(String.raw`^[ \t]*${OPEN}([A-Z])${CLOSE}(?:[.:)]|[ \t]*$)`, "mu");
const BRACKETED = /\(([A-Z])\)/g;

/** Returns the letter that an answer chooses, by the rules of docs/answers.md; undefined for none. */
export function chosenLetter(answer: string): string | undefined {
  const text = answer.trim();
  const whole = text.length > MAX_WHOLE ? undefined : WHOLE.exec(text)?.[1];
  const letter = whole ?? last(text, BOXED) ?? lastNamed(text) ??
    LINE.exec(text)?.[1] ?? last(text, BRACKETED);
  return letter?.toUpperCase();
}

function last(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}

/** A letter in lower case is a word, as in "the answer is a bit long", unless it ends its line. */
function lastNamed(text: string): string | undefined {
  return [...text.matchAll(NAMED)].filter((match) => {
    const [whole, letter = ""] = match;
    const end = match.index + whole.length;
    return letter === letter.toUpperCase() || LINE_END.test(text.slice(end, end + MAX_WHOLE));
  }).at(-1)?.[1];
}
