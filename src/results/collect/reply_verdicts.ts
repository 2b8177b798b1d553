import type { ChoiceCalls } from "../../client/record/record_block.ts";
import { FIELD } from "../../client/record/request_fields.ts";
import { VERDICT } from "../../client/record/verdict.ts";
import type { PayloadPlace } from "../../load/dataset/payloads/payload_table.ts";
import { type SharedTexts, textOf } from "../../load/dataset/payloads/shared_texts.ts";
import {
  type CheckedReply,
  checkExpected,
} from "../../measurement/answers/expected/check_expected.ts";
import type { Expected } from "../../measurement/answers/expected/expected.ts";
import type { PatternTester } from "../../measurement/answers/patterns/pattern_tester.ts";
import type {
  ConstraintChecker,
  ConstraintVerdict,
} from "../../measurement/answers/structured/constraint_checker.ts";
import { type Verdict, worseVerdict } from "../../measurement/answers/verdict.ts";

/** Longest text that is checked, in bytes of each kind of text. */
const MAX_BYTES = 1024 * 1024;
const NOTHING = new Uint8Array(0);

/** Verdicts on a reply; undefined where there was nothing to check. */
export interface ReplyVerdict {
  readonly correct: Verdict | undefined;
  readonly valid: ConstraintVerdict | undefined;
  /** The choice that is wrong, and the answer that its row expects; absent if none is wrong. */
  readonly wrong?: { readonly expected: Expected; readonly reply: CheckedReply } | undefined;
}

const TOO_LONG: ConstraintVerdict = {
  outcome: VERDICT.unchecked,
  flaw: `the reply has more than ${MAX_BYTES / 1024 / 1024} MiB`,
};

/** Verdict on a request without a valid reply. */
export const NO_VERDICT: ReplyVerdict = { correct: undefined, valid: undefined };

/** Checks the replies of requests where tokens are counted: it takes no time from load threads. */
export class ReplyVerdicts {
  readonly #patterns: PatternTester | undefined;
  readonly #constraints: ConstraintChecker | undefined;
  /** Requirements that were read, by their numbers. */
  readonly #read = new WeakMap<SharedTexts, string[]>();
  readonly #decoder = new TextDecoder();

  /**
   * @param patterns tests foreign patterns; undefined if the run has none
   * @param constraints checks what requests require of their replies; undefined if none requires
   * anything
   */
  constructor(patterns: PatternTester | undefined, constraints?: ConstraintChecker) {
    this.#patterns = patterns;
    this.#constraints = constraints;
  }

  /**
   * Checks a valid reply: of several choices, it returns the worst verdict.
   * @param request the numbers of its record
   * @param choices UTF-8 of answer, reasoning and tool calls of each choice
   * @param calls tool calls of each choice; undefined if there are none
   */
  verdictOf(
    { table: { data }, entry }: PayloadPlace,
    request: Float64Array,
    choices: readonly (readonly (Uint8Array | undefined)[])[],
    calls: ChoiceCalls | undefined,
  ): ReplyVerdict {
    const wanted = textOf(data.expected, entry);
    const constraint = this.#constraintOf(data.constraints, entry);
    if (wanted === undefined && constraint === undefined) return NO_VERDICT;
    const expected = wanted === undefined ? undefined : JSON.parse(wanted) as Expected;
    const endedAtLimit = request[FIELD.endedAtLimit] === 1;
    let correct: Verdict | undefined;
    let valid: ConstraintVerdict | undefined;
    let wrong: ReplyVerdict["wrong"];
    for (const [choice, [text, , toolText]] of choices.entries()) {
      const reply: CheckedReply = {
        text: this.#textOf(text),
        toolText: this.#textOf(toolText),
        toolCalls: calls?.[choice] ?? [],
        endedAtLimit,
      };
      if (expected !== undefined) {
        correct = worseVerdict(correct, checkExpected(expected, reply, this.#patterns));
        if (correct.outcome === VERDICT.no) wrong ??= { expected, reply };
      }
      if (constraint === undefined) continue;
      // The beginning of a text does not show whether the whole has the right form.
      const isLong = [text, toolText].some((bytes = NOTHING) => bytes.length > MAX_BYTES);
      valid = worseVerdict(valid, isLong ? TOO_LONG : constraint.check(reply));
    }
    return { correct, valid, wrong };
  }

  /** The check of an entry's requirements; undefined if there are none. */
  #constraintOf(
    texts: SharedTexts | undefined,
    entry: number,
  ): { check(reply: CheckedReply): ConstraintVerdict } | undefined {
    const constraints = this.#constraints;
    const place = texts?.places[entry];
    if (constraints === undefined || texts === undefined || place === undefined) return undefined;
    let read = this.#read.get(texts);
    if (read === undefined) this.#read.set(texts, read = []);
    // Long requirements are read once, not for each reply.
    const text = read[place] ?? textOf(texts, entry);
    if (text === undefined) return undefined;
    read[place] = text;
    return { check: (reply) => constraints.check(text, reply) };
  }

  #textOf(bytes: Uint8Array = NOTHING): string {
    return this.#decoder.decode(bytes.subarray(0, MAX_BYTES));
  }
}
