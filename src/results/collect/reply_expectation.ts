import type { ExpectationPlan } from "../../config/plan/run_plan.ts";

/** Longest answer that a pattern is tried on; what comes after is not looked at. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Whether a text has what is looked for. */
export type Matcher = (text: string) => boolean;

/**
 * Judges whether valid replies say what the user expects of them.
 *
 * It is done where tokens are counted, beside the threads that send: a pattern takes no time from
 * them. The pattern is RE2's, so that none takes more than a time in proportion to the text.
 */
export class ReplyExpectation {
  readonly #matches: Matcher | undefined;
  readonly #minTokens: number;
  readonly #decoder = new TextDecoder();

  /** @param matches undefined for any text */
  constructor(matches: Matcher | undefined, minTokens: number) {
    this.#matches = matches;
    this.#minTokens = minTokens;
  }

  /** What a plan expects; undefined for nothing. */
  static async create(
    plan: ExpectationPlan | undefined,
  ): Promise<ReplyExpectation | undefined> {
    if (plan === undefined) return undefined;
    const { pattern, minTokens } = plan;
    if (pattern === undefined) return new ReplyExpectation(undefined, minTokens);
    const { RE2JS } = await import("npm:re2js@2.10.0");
    const compiled = RE2JS.compile(pattern);
    return new ReplyExpectation((text) => compiled.test(text), minTokens);
  }

  /**
   * What a valid reply does not say; undefined if it says enough.
   * @param tokens output and reasoning tokens as the run counts them; NaN where nobody knows, which
   * is not held against the reply
   * @param choices UTF-8 of the answer and of the tool calls of each choice: every one must match
   */
  problemOf(
    tokens: number,
    choices: readonly (readonly (Uint8Array | undefined)[])[],
  ): string | undefined {
    if (tokens < this.#minTokens) {
      const told = `${tokens} output ${tokens === 1 ? "token" : "tokens"}`;
      return `The reply has ${told}, fewer than --expect-min-tokens ${this.#minTokens}`;
    }
    const matches = this.#matches;
    if (matches === undefined) return undefined;
    const texts = choices.map((answer) =>
      answer.map((bytes) =>
        bytes === undefined ? "" : this.#decoder.decode(bytes.subarray(0, MAX_ANSWER_BYTES))
      ).join("")
    );
    return texts.every((text) => matches(text))
      ? undefined
      : "The reply does not match --expect-regex";
  }
}
