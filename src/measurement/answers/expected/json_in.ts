/** JSON of an answer. */
export interface FoundJson {
  readonly text: string;
  readonly value: unknown;
}

/** A code block; JSON may begin in the line of its fence. */
const FENCED = /(```|~~~)(?:[\w-]*[ \t]*(?=[{[])|[^\n`]*\n)(.*?)\1/s;

/** Returns the JSON of an answer, or of its first code block; undefined if neither is JSON. */
export function jsonIn(answer: string): FoundJson | undefined {
  const [, , block] = FENCED.exec(answer) ?? [];
  for (const text of [answer, ...(block === undefined ? [] : [block])]) {
    // A text that cannot be JSON costs less so.
    if (!/^\s*[[{"\d\-tfn]/.test(text)) continue;
    try {
      return { text, value: JSON.parse(text) };
    } catch {
      // The other one may be JSON.
    }
  }
  return undefined;
}
