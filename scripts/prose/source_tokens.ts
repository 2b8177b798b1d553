/** Part of TypeScript source: ordinary comments and whitespace are left out. */
export interface SourceToken {
  readonly type: "doc" | "string" | "word" | "char";
  /** Text of a string without escapes, body of a doc comment, or the word or character. */
  readonly text: string;
  /** Offset of the first character in the source. */
  readonly start: number;
  /** Offset behind the last character. */
  readonly end: number;
}

/** Replaces `${...}` in the text of a template. */
export const PLACEHOLDER = "\u2039x\u203a";

const BEFORE_REGEX = new Set("(,=:[!&|?{};+-*%~^<>\n");
const WORDS_BEFORE_REGEX = /^(?:return|typeof|case|in|of|delete|void|throw|new|else|do)$/;

/** Returns the tokens of a source file, sorted by their start. */
export function sourceTokens(source: string): SourceToken[] {
  const reader = new TokenReader(source);
  reader.readCode(0, false);
  return reader.tokens.toSorted((a, b) => a.start - b.start);
}

/** Reads TypeScript well enough to distinguish strings, templates, comments and regular expressions. */
class TokenReader {
  readonly tokens: SourceToken[] = [];
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /**
   * Reads from an offset to the end, or to the closing brace of a placeholder.
   *
   * @returns Offset at which reading continues
   */
  readCode(from: number, stopsAtBrace: boolean): number {
    let depth = 0;
    let at = from;
    while (at < this.#source.length) {
      const char = this.#source[at] as string;
      if (char === "`") at = this.#readTemplate(at);
      else if (char === '"' || char === "'") at = this.#readString(at, char);
      else if (this.#source.startsWith("//", at)) at = this.#endOf("\n", at);
      else if (this.#source.startsWith("/*", at)) at = this.#readComment(at);
      else if (char === "/" && this.#regexMayFollow()) at = this.#readRegex(at);
      else if (/[\p{L}_$#]/u.test(char)) at = this.#readWord(at);
      else if (" \t\r\n".includes(char)) at++;
      else {
        if (stopsAtBrace && char === "}" && depth === 0) return at + 1;
        if (char === "{") depth++;
        if (char === "}") depth--;
        at = this.#add("char", char, at, at + 1);
      }
    }
    return at;
  }

  #add(type: SourceToken["type"], text: string, start: number, end: number): number {
    this.tokens.push({ type, text, start, end });
    return end;
  }

  #endOf(text: string, from: number): number {
    const found = this.#source.indexOf(text, from);
    return found < 0 ? this.#source.length : found + text.length;
  }

  #readComment(start: number): number {
    const end = this.#endOf("*/", start + 2);
    if (this.#source.startsWith("/**", start) && end - start > 5) {
      this.#add("doc", this.#source.slice(start + 3, end - 2), start, end);
    }
    return end;
  }

  #readString(start: number, quote: string): number {
    let at = start + 1;
    while (at < this.#source.length && this.#source[at] !== quote && this.#source[at] !== "\n") {
      at += this.#source[at] === "\\" ? 2 : 1;
    }
    return this.#add("string", withoutEscapes(this.#source.slice(start + 1, at)), start, at + 1);
  }

  #readTemplate(start: number): number {
    let text = "";
    let at = start + 1;
    while (at < this.#source.length && this.#source[at] !== "`") {
      if (this.#source.startsWith("${", at)) {
        at = this.readCode(at + 2, true);
        text += PLACEHOLDER;
      } else {
        const length = this.#source[at] === "\\" ? 2 : 1;
        text += this.#source.slice(at, at + length);
        at += length;
      }
    }
    return this.#add("string", withoutEscapes(text), start, Math.min(at + 1, this.#source.length));
  }

  #readWord(start: number): number {
    const rest = /[\p{L}\p{N}_$]*/uy;
    rest.lastIndex = start + 1;
    const end = start + 1 + (rest.exec(this.#source)?.[0].length ?? 0);
    return this.#add("word", this.#source.slice(start, end), start, end);
  }

  /** Whether a slash begins a regular expression here, instead of dividing. */
  #regexMayFollow(): boolean {
    const before = this.tokens.at(-1);
    if (before === undefined || before.type === "doc") return true;
    if (before.type === "char") return BEFORE_REGEX.has(before.text);
    return before.type === "word" && WORDS_BEFORE_REGEX.test(before.text);
  }

  #readRegex(start: number): number {
    let at = start + 1;
    let isInClass = false;
    while (at < this.#source.length && this.#source[at] !== "\n") {
      const char = this.#source[at];
      if (char === "/" && !isInClass) break;
      if (char === "[") isInClass = true;
      if (char === "]") isInClass = false;
      at += char === "\\" ? 2 : 1;
    }
    return this.#add("word", "regex", start, at + 1);
  }
}

function withoutEscapes(text: string): string {
  return text
    .replace(
      /\\u\{?([0-9a-fA-F]{2,6})\}?/g,
      (_, code) => String.fromCodePoint(Number.parseInt(code, 16)),
    )
    .replaceAll("\\n", "\n")
    .replaceAll("\\t", " ")
    .replace(/\\(.)/g, "$1");
}
