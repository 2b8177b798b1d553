import type { PatternTester } from "../patterns/pattern_tester.ts";
import { PatternCompiler, type TextPattern } from "./text_pattern.ts";
import { UncheckedError } from "./unchecked_error.ts";

/** Compiled patterns that are kept, at most: rows may have one each. */
const MAX_KEPT = 1000;

/** Tests patterns with RE2, and only patterns that RE2 refuses in another thread. */
export class CompiledPatterns implements PatternTester {
  readonly #compiler: PatternCompiler;
  readonly #kept = new Map<string, TextPattern>();

  /** @param foreign tests patterns that RE2 has no syntax for; undefined to leave them untested */
  static async load(foreign: PatternTester | undefined): Promise<CompiledPatterns> {
    return new CompiledPatterns(await PatternCompiler.load(foreign));
  }

  private constructor(compiler: PatternCompiler) {
    this.#compiler = compiler;
  }

  test(pattern: string, flags: string, text: string): boolean | undefined {
    try {
      return this.#compiled(flags === "" ? pattern : `(?${flags})${pattern}`).test(text);
    } catch (error) {
      if (error instanceof UncheckedError || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  #compiled(source: string): TextPattern {
    const kept = this.#kept.get(source);
    if (kept !== undefined) return kept;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    const compiled = this.#compiler.compile(source);
    this.#kept.set(source, compiled);
    return compiled;
  }
}
