/**
 * Brackets and marks of emphasis that may surround a letter. The number of marks and spaces is
 * limited: a long row of them must not take much time.
 */
const OPEN = String.raw`(?:[*_(\["'\x60“【（「]|\\[a-z]{1,9}\{|\$){0,9}`;
const CLOSE = String.raw`[*_)\]}"'\x60$”】）」]*`;

/** Longest answer that may be a letter with marks around it, and end of a text that may be one. */
const MAX_WHOLE = 40;
/** The whole answer is a letter. */
const WHOLE = new RegExp(`^${OPEN}([a-z])${CLOSE}[.:]?${CLOSE}$`, "i");
/** Words between "answer" and its letter. */
const BETWEEN = String.raw`(?:\s{1,4}(?:is|was|be|must|should|would|will|has|to|likely|most|` +
  String.raw`probably|clearly|therefore|thus|then|hence)\b){0,4}`;
/** Letters after these words: "answer is: B", "<answer>B", then "option (B)". */
const ANSWER = letterAfter(String.raw`\bans(?:wer)?\b|答案[是为為]?`);
const OPTION = letterAfter(String.raw`\b(?:choice|option)\b`);
/** A letter that is named as the right one: "B is correct". */
const CORRECT = new RegExp(
  String.raw`(?<![\p{L}\p{N}'’])([A-Z])[*_)\]"']{0,4}\s{1,4}(?:is|was|must\sbe|would\sbe)\s{1,4}` +
    String.raw`(?:the\s{1,4})?(?:correct|right|best)\b`,
  "gu",
);
/** End of a letter in lower case that is no word: the end of a line, or a mark of a list. */
const LETTER_END = new RegExp(String.raw`^(?:[)\]}.:]|${CLOSE}\.?${CLOSE}[ \t]*(?:\n|$))`);
/** Letters that are no English word in lower case. */
const NO_WORD = /[b-h]/;
const BOXED = /\\boxed\{\s{0,4}(?:\\[a-z]{1,9}\{)?\s{0,4}\(?([A-Z])\)?\s{0,4}\}/gi;
/** A line that begins with a letter, as choices are listed. */
const LINE = new RegExp(
  String.raw`^[ \t]*${OPEN}(?:([A-Za-z])${CLOSE}[.:)]|([A-Z])${CLOSE}[ \t]*$)`,
  "mu",
);
const BRACKETED = /(?<![\p{L}\p{N}])\(([A-Z])\)/giu;
/** The text ends with a letter. */
const LAST = new RegExp(String.raw`(?<![\p{L}\p{N}'’.])${OPEN}([A-Z])[.!]?${CLOSE}[.!]?$`, "u");

/** Returns the letter that an answer chooses, by the rules of docs/answers.md; undefined for none. */
export function chosenLetter(answer: string): string | undefined {
  const text = answer.trim();
  const whole = text.length > MAX_WHOLE ? undefined : WHOLE.exec(text)?.[1];
  const letter = whole ?? last(text, BOXED) ?? lastNamed(text, ANSWER) ?? last(text, CORRECT) ??
    lastNamed(text, OPTION) ?? firstListed(text) ?? last(text, BRACKETED) ??
    LAST.exec(text.slice(-MAX_WHOLE))?.[1];
  return letter?.toUpperCase();
}

function letterAfter(words: string): RegExp {
  return new RegExp(
    String.raw`(?:${words})[*_"']{0,4}${BETWEEN}\s{0,4}[-\u2013\u2014:：=>]?[*_]{0,4}\s{0,4}` +
      String.raw`(?:(?:option|choice|letter)\s{1,4})?${OPEN}([A-Z])(?![\p{L}\p{N}'’])`,
    "giu",
  );
}

function firstListed(text: string): string | undefined {
  const [, marked, alone] = LINE.exec(text) ?? [];
  return marked ?? alone;
}

function last(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}

/** The last letter that is no word: "a" is one in "the answer is a bit long". */
function lastNamed(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].filter((match) => {
    const [whole, letter = ""] = match;
    const end = match.index + whole.length;
    return letter === letter.toUpperCase() || NO_WORD.test(letter) ||
      LETTER_END.test(text.slice(end, end + MAX_WHOLE));
  }).at(-1)?.[1];
}
