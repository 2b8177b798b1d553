import type { RandomStream } from "../core/statistics/random_stream.ts";

/** Repetitions of an expression that has no upper limit, above its lower limit. */
const MAX_MORE = 4;

const DIGITS = "0123456789";
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const WORD = `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}_`;
/** Characters of which negated classes and `.` take one. */
const PRINTABLE = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join("");

/** Sets of characters with an escape of their own. */
const ESCAPED_SETS: ReadonlyMap<string, string> = new Map([
  ["d", DIGITS],
  ["D", without(PRINTABLE, DIGITS)],
  ["w", WORD],
  ["W", without(PRINTABLE, WORD)],
  ["s", " "],
  ["S", PRINTABLE.slice(1)],
]);
const ESCAPED_CHARACTERS: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["f", "\f"],
  ["v", "\v"],
  ["0", "\0"],
]);

/** Writes a text that an expression matches. */
type Writer = () => string;

/**
 * Returns a text that a regular expression matches as a whole; undefined if the expression cannot be
 * read or needs more than literals, classes, groups, alternatives, quantifiers and anchors at its
 * ends.
 */
export function patternInstance(pattern: string, random: RandomStream): string | undefined {
  const reader = new PatternReader(pattern, random);
  const write = reader.alternatives();
  return write === undefined || !reader.isAtEnd ? undefined : write();
}

/** Reads an expression from left to right; undefined is what it cannot read. */
class PatternReader {
  readonly #text: string;
  readonly #random: RandomStream;
  #at = 0;

  constructor(text: string, random: RandomStream) {
    this.#text = text;
    this.#random = random;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Alternatives up to the end, or to the bracket that closes a group. */
  alternatives(): Writer | undefined {
    const choices: Writer[] = [];
    do {
      const choice = this.#sequence();
      if (choice === undefined) return undefined;
      choices.push(choice);
    } while (this.#takes("|"));
    return () => (choices[Math.floor(this.#random() * choices.length)] as Writer)();
  }

  #sequence(): Writer | undefined {
    const parts: Writer[] = [];
    while (!this.isAtEnd && !"|)".includes(this.#text[this.#at] as string)) {
      if (this.#takes("^") || this.#takes("$") || this.#takes("\\A") || this.#takesEnd()) continue;
      const atom = this.#atom();
      const part = atom === undefined ? undefined : this.#quantified(atom);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return () => parts.map((part) => part()).join("");
  }

  #takesEnd(): boolean {
    return this.#takes("\\z") || this.#takes("\\Z");
  }

  #atom(): Writer | undefined {
    if (this.#takes("(")) return this.#group();
    if (this.#takes("[")) return this.#oneOf(this.#class());
    if (this.#takes(".")) return this.#oneOf(PRINTABLE);
    if (this.#takes("\\")) return this.#oneOf(this.#escape());
    const character = this.#character();
    return "*+?{".includes(character) ? undefined : () => character;
  }

  #group(): Writer | undefined {
    const opening = /^\?(?::|P?<[A-Za-z_]\w*>)/.exec(this.#text.slice(this.#at));
    if (opening === null && this.#text[this.#at] === "?") return undefined;
    this.#at += opening?.[0].length ?? 0;
    const inner = this.alternatives();
    return this.#takes(")") ? inner : undefined;
  }

  /** Characters of a class; undefined for an empty one. */
  #class(): string | undefined {
    const isNegated = this.#takes("^");
    let found = "";
    for (let isFirst = true; !this.#takes("]") || isFirst; isFirst = false) {
      if (this.isAtEnd) return undefined;
      const from = this.#takes("\\") ? this.#escape(true) : this.#character();
      if (from === undefined) return undefined;
      const isRange = this.#text[this.#at] === "-" && this.#text[this.#at + 1] !== "]";
      if (!isRange || [...from].length !== 1) {
        found += from;
        continue;
      }
      this.#at++;
      const to = this.#takes("\\") ? this.#escape(true) : this.#character();
      if (to === undefined) return undefined;
      found += rangeOf(from, to);
    }
    return isNegated ? without(PRINTABLE, found) : found;
  }

  /** Characters of which an escape stands for one. */
  #escape(isInClass = false): string | undefined {
    const rest = this.#text.slice(this.#at);
    const code = /^(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2}))/.exec(rest);
    if (code !== null) {
      this.#at += code[0].length;
      return String.fromCodePoint(Number.parseInt(code[1] ?? code[2] ?? code[3] ?? "", 16));
    }
    const letters = /^p\{(?:L|Letter|Lu|Ll|N|Nd)\}/.exec(rest)?.[0];
    if (letters !== undefined) {
      this.#at += letters.length;
      if (letters.startsWith("p{N")) return DIGITS;
      return letters === "p{Lu}" ? LETTERS.toUpperCase() : LETTERS;
    }
    const character = this.#character();
    const known = ESCAPED_SETS.get(character) ?? ESCAPED_CHARACTERS.get(character);
    if (known !== undefined) return known;
    if (isInClass && character === "b") return "\b";
    // Other letters and digits have meanings that need more than this reader.
    return /[A-Za-z0-9]/.test(character) ? undefined : character;
  }

  #quantified(atom: Writer): Writer | undefined {
    const limits = this.#limits();
    if (limits === undefined) return atom;
    // Lazy and possessive forms match the same texts as a whole.
    if (!this.#takes("?")) this.#takes("+");
    const { least, most } = limits;
    if (most < least) return undefined;
    return () => {
      const count = least + Math.floor(this.#random() * (most - least + 1));
      return Array.from({ length: count }, atom).join("");
    };
  }

  #limits(): { readonly least: number; readonly most: number } | undefined {
    if (this.#takes("*")) return { least: 0, most: MAX_MORE };
    if (this.#takes("+")) return { least: 1, most: 1 + MAX_MORE };
    if (this.#takes("?")) return { least: 0, most: 1 };
    const given = /^\{(\d+)(,?)(\d*)\}/.exec(this.#text.slice(this.#at));
    if (given === null) return undefined;
    this.#at += given[0].length;
    const least = Number(given[1]);
    if (given[2] === "") return { least, most: least };
    return { least, most: given[3] === "" ? least + MAX_MORE : Number(given[3]) };
  }

  #oneOf(characters: string | undefined): Writer | undefined {
    const all = [...characters ?? ""];
    if (all.length === 0) return undefined;
    return () => all[Math.floor(this.#random() * all.length)] as string;
  }

  #character(): string {
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) as number);
    this.#at += character.length;
    return character;
  }

  #takes(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}

/** Characters from one to another; at most the printable number of them. */
function rangeOf(from: string, to: string): string {
  const [first, last] = [from.codePointAt(0) as number, to.codePointAt(0) as number];
  const count = Math.min(last - first + 1, PRINTABLE.length);
  return Array.from({ length: Math.max(count, 0) }, (_, at) => String.fromCodePoint(first + at))
    .join("");
}

function without(characters: string, removed: string): string {
  return [...characters].filter((character) => !removed.includes(character)).join("");
}
