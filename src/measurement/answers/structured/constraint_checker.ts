import type { ReplyConstraint } from "../../../client/endpoint/constraint/reply_constraint.ts";
import { VERDICT } from "../../../client/record/verdict.ts";
import type { CheckedReply } from "../expected/check_expected.ts";
import type { PatternTester } from "../patterns/pattern_tester.ts";
import { FLAWLESS, type Verdict } from "../verdict.ts";
import { calledText } from "../called_text.ts";
import type { Flaw, FlawPlace, InvalidReason } from "../invalid_reason.ts";
import { SchemaCompiler } from "./schema_compiler.ts";
import { PatternCompiler } from "./text_pattern.ts";
import { type Compilers, type TextCheck, textCheck } from "./text_requirement.ts";
import { type ToolCheck, toolCheck } from "./tool_requirement.ts";
import { UncheckedError } from "./unchecked_error.ts";

/** Most requirements that are kept compiled. */
const MAX_COMPILED = 1024;

/** Verdict on a reply, with the reason why it is invalid. */
export interface ConstraintVerdict extends Verdict {
  readonly reason?: InvalidReason | undefined;
  /** Where an invalid reply breaks its requirement. */
  readonly place?: FlawPlace | undefined;
}

/** Compiled requirements, or why they cannot be checked. */
interface Compiled {
  readonly text?: TextCheck | string | undefined;
  readonly tools?: ToolCheck | undefined;
}

/**
 * Checks replies against the requirements of their own requests. The time is limited by the sizes of
 * requirement and reply, so the thread that checks needs no other one that could end it: patterns run
 * in RE2 and references in schemas are counted. Patterns that RE2 refuses run in a thread that is given
 * up.
 */
export class ConstraintChecker {
  readonly #compilers: Compilers;
  readonly #compiled = new Map<string, Compiled>();

  /** @param foreign tests patterns that RE2 has no syntax for; undefined to leave them unchecked */
  static async load(foreign: PatternTester | undefined): Promise<ConstraintChecker> {
    const patterns = await PatternCompiler.load(foreign);
    const schemas = await SchemaCompiler.load((source) => patterns.compile(source));
    return new ConstraintChecker({ patterns, schemas });
  }

  private constructor(compilers: Compilers) {
    this.#compilers = compilers;
  }

  /**
   * Checks a choice of a reply.
   * @param constraint JSON of the requirements of its request
   */
  check(constraint: string, reply: CheckedReply): ConstraintVerdict {
    const { text, endedAtLimit } = reply;
    const { text: checkText, tools: checkTools } = this.#of(constraint);
    const calls = calledTools(reply);
    try {
      // A text that its limit cut off before the first call may be followed by calls.
      const flaw = checkTools?.(calls, endedAtLimit);
      if (flaw !== undefined) {
        const place = { text: calls.length === 0 ? text : calledText(calls), at: 0 };
        return invalid({ place, ...flaw });
      }
      // A reply that calls tools need not have any text.
      if (checkText === undefined || (calls.length > 0 && text.trim() === "")) return FLAWLESS;
      if (typeof checkText === "string") return unchecked(checkText);
      const found = checkText(text, endedAtLimit);
      return found === undefined ? FLAWLESS : invalid(found);
    } catch (error) {
      return unchecked(reasonOf(error));
    }
  }

  #of(constraint: string): Compiled {
    const known = this.#compiled.get(constraint);
    if (known !== undefined) return known;
    const { schemas } = this.#compilers;
    if (this.#compiled.size >= MAX_COMPILED) {
      this.#compiled.clear();
      schemas.forget();
    }
    const { text, tools } = JSON.parse(constraint) as ReplyConstraint;
    const compiled: Compiled = {
      text: text && this.#textCheck(text),
      tools: tools && toolCheck(tools, schemas),
    };
    this.#compiled.set(constraint, compiled);
    return compiled;
  }

  #textCheck(text: Parameters<typeof textCheck>[0]): TextCheck | string {
    try {
      return textCheck(text, this.#compilers);
    } catch (error) {
      return reasonOf(error);
    }
  }
}

/** Tool calls of a reply; OpenAI's earlier function call is only in the text of all calls. */
function calledTools({ toolCalls, toolText }: CheckedReply): CheckedReply["toolCalls"] {
  if (toolCalls.length > 0 || toolText === "") return toolCalls;
  const [name = "", ...rest] = toolText.split(/(?=\{)/);
  return [{ name, argumentsText: rest.join("") }];
}

function invalid({ message, place, reason }: Flaw): ConstraintVerdict {
  return { outcome: VERDICT.no, reason, flaw: message, place };
}

function unchecked(flaw: string): ConstraintVerdict {
  return { outcome: VERDICT.unchecked, flaw };
}

/** Why a check could not be made; messages of ajv may have the schema, never the reply. */
function reasonOf(error: unknown): string {
  if (error instanceof UncheckedError) return error.message;
  if (error instanceof RangeError) return "the reply is nested too deeply";
  const message = error instanceof Error ? error.message : String(error);
  return `the requirement cannot be checked: ${message.split("\n")[0]?.slice(0, 200)}`;
}
