import type { ProseKind, ProseText } from "./prose_text.ts";
import phrases from "./rules.json" with { type: "json" };

const MAX_SENTENCE_WORDS = 40;
const MAX_PARAGRAPH_WORDS = 120;

/** Violation of the rules for English. */
export interface ProseFault {
  readonly rule: string;
  /** What to write instead. */
  readonly write: string;
  /** Words that break the rule, or their number. */
  readonly found: string;
}

interface Phrase {
  readonly rule: string;
  readonly write: string;
  readonly pattern: RegExp;
  readonly kinds: ReadonlySet<ProseKind> | undefined;
}

const PHRASES = phrases.map(({ name, pattern, write, kinds }): Phrase => ({
  rule: name,
  write,
  pattern: new RegExp(pattern, "gim"),
  kinds: kinds === undefined ? undefined : new Set(kinds as ProseKind[]),
}));

/** Beginnings of doc comments that refer to a neighbour. */
const FRAGMENT =
  /^(The same\b|As (?!soon|long)|What\b|Of\b|Its\b|Their\b|Those\b|Such\b|The others?\b|That\b(?! (?:is|are)\b)|It\b|They\b|These\b|Likewise\b|So (?:many|long|much)\b)/;
const ABBREVIATION = /\b(?:e\.g|i\.e|vs|etc|cf|approx|no|fig|min|max|resp)\.$/i;

/** Returns the private phrases, long sentences and fragments in a text. */
export function proseFaults({ kind, role, text }: ProseText): ProseFault[] {
  const faults: ProseFault[] = [];
  for (const { rule, write, pattern, kinds } of PHRASES) {
    if (kinds !== undefined && !kinds.has(kind)) continue;
    for (const [found] of text.matchAll(pattern)) {
      if (found !== "") faults.push({ rule, write, found: found.trim() });
    }
  }
  const isParagraph = role === "paragraph" || role === "comment" || role === "more";
  if (isParagraph || role === "tag" || role === "string") {
    for (const count of sentencesOf(text).map(countWords)) {
      if (count <= MAX_SENTENCE_WORDS) continue;
      faults.push({ rule: "sentence over 40 words", write: "split it", found: `${count} words` });
    }
  }
  const count = countWords(text);
  if (isParagraph && count > MAX_PARAGRAPH_WORDS) {
    const write = "one topic per paragraph";
    faults.push({ rule: "paragraph over 120 words", write, found: `${count} words` });
  }
  const fragment = role === "comment" ? FRAGMENT.exec(text) : null;
  if (fragment !== null) {
    const write = "start with a noun phrase or a verb";
    faults.push({ rule: "doc comment does not stand alone", write, found: fragment[0] });
  }
  return faults;
}

function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { index, 0: end } of text.matchAll(/[.!?]["')\u2019]*\s+(?=[A-Z0-9"'(\u2039_`-])/g)) {
    if (ABBREVIATION.test(text.slice(start, index + 1))) continue;
    sentences.push(text.slice(start, index + end.length));
    start = index + end.length;
  }
  return [...sentences, text.slice(start)];
}

/** Number of words, without punctuation between spaces. */
function countWords(text: string): number {
  return text.match(/[A-Za-z0-9\u2039]\S*/g)?.length ?? 0;
}
