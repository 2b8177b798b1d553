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
    const translated = re2Pattern(source);
    let compiled: RE2JS;
    try {
      compiled = this.#re2.compile(translated);
    } catch {
      return this.#foreignPattern(source);
    }
    return {
      test: (text) => compiled.test(text),
      matches: (text) => compiled.matches(text),
      invalidAt: (text) => this.#invalidAt(translated, text),
      toString: () => source,
    };
  }

  #invalidAt(translated: string, text: string): number | undefined {
    const node = patternNode(translated);
    if (node === undefined) return undefined;
    try {
      const beginning = this.#re2.compile(beginningPattern(node), this.#re2.LONGEST_MATCH);
      const matcher = beginning.matcher(text);
      return matcher.lookingAt() ? matcher.end() : 0;
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
