import type { RE2JS } from "npm:re2js@2.10.0";
import type { PatternTester } from "../patterns/pattern_tester.ts";
import { scriptPattern } from "../patterns/script_pattern.ts";
import { beginningPattern } from "./beginning_pattern.ts";
import { patternNode } from "./pattern_node.ts";
import { re2Pattern } from "./re2_pattern.ts";
import { UncheckedError } from "./unchecked_error.ts";

/** A pattern, ready to be tried. */
export interface TextPattern {
  /**
   * Whether the pattern matches somewhere in a text.
   * @throws {UncheckedError} if that took too long
   */
  test(text: string): boolean;
  /**
   * Whether the pattern matches a text as a whole.
   * @throws {UncheckedError} if that took too long
   */
  matches(text: string): boolean;
  /** First character of a text that no match can have there; undefined if not known. */
  invalidAt(text: string): number | undefined;
  /** Differs from that of other patterns. */
  toString(): string;
}

/**
 * Compiles patterns of requests: with RE2, which takes a time in proportion to the text whatever the
 * pattern, and only what RE2 has no syntax for as JavaScript's in another thread.
 */
export class PatternCompiler {
  readonly #re2: typeof RE2JS;
  readonly #foreign: PatternTester | undefined;

  /** @param foreign undefined if patterns that RE2 refuses are not checked */
  static async load(foreign: PatternTester | undefined): Promise<PatternCompiler> {
    const { RE2JS } = await import("npm:re2js@2.10.0");
    return new PatternCompiler(RE2JS, foreign);
  }

  private constructor(re2: typeof RE2JS, foreign: PatternTester | undefined) {
    this.#re2 = re2;
    this.#foreign = foreign;
  }

  /** @throws {Error} if the pattern cannot be read */
  compile(source: string): TextPattern {
    let ascii: RE2JS;
    try {
      ascii = this.#re2.compile(re2Pattern(source, true));
    } catch {
      return this.#foreignPattern(source);
    }
    const whole = onceFor((isAscii) =>
      isAscii ? ascii : this.#re2.compile(re2Pattern(source, false))
    );
    const beginning = onceFor((isAscii) => this.#beginning(re2Pattern(source, isAscii)));
    return {
      test: (text) => whole(text).test(text),
      matches: (text) => whole(text).matches(text),
      invalidAt: (text) => {
        const matcher = beginning(text)?.matcher(text);
        return matcher === undefined ? undefined : matcher.lookingAt() ? matcher.end() : 0;
      },
      toString: () => source,
    };
  }

  /** The pattern of the beginnings of what a pattern matches; undefined if RE2 cannot have it. */
  #beginning(translated: string): RE2JS | undefined {
    const node = patternNode(translated);
    if (node === undefined) return undefined;
    try {
      return this.#re2.compile(beginningPattern(node), this.#re2.LONGEST_MATCH);
    } catch {
      // Written out, the beginnings may repeat more than RE2 allows.
      return undefined;
    }
  }

  #foreignPattern(source: string): TextPattern {
    const foreign = this.#foreign;
    const { pattern, flags } = scriptPattern(source);
    const test = (tried: string, text: string): boolean => {
      if (foreign === undefined) throw new UncheckedError("RE2 does not support a pattern");
      const found = foreign.test(tried, flags, text);
      if (found === undefined) throw new UncheckedError("a pattern did not end in time");
      return found;
    };
    return {
      test: (text) => test(pattern, text),
      matches: (text) => test(`^(?:${pattern})$`, text),
      invalidAt: () => undefined,
      toString: () => source,
    };
  }
}

/** Makes a value for ASCII texts, and another one for all other texts, when the first such text comes. */
function onceFor<T>(make: (isAscii: boolean) => T): (text: string) => T {
  const made = new Map<boolean, T>();
  return (text) => {
    // deno-lint-ignore no-control-regex
    const isAscii = /^[\u0000-\u007f]*$/.test(text);
    if (!made.has(isAscii)) made.set(isAscii, make(isAscii));
    return made.get(isAscii) as T;
  };
}
