import type { CalledTool } from "../../../client/record/record_block.ts";
import { VERDICT } from "../../../client/record/verdict.ts";
import type { PatternTester } from "../patterns/pattern_tester.ts";
import { type ToolCall, toolCallsOf } from "../tool_calls.ts";
import { FLAWLESS, type Verdict } from "../verdict.ts";
import { chosenLetter } from "./chosen_letter.ts";
import type { Expected } from "./expected.ts";
import { jsonDifference } from "./json_difference.ts";
import { jsonIn } from "./json_in.ts";
import { lastNumber } from "./last_number.ts";

/** A reply as it is compared. */
export interface CheckedReply {
  /** The answer, without reasoning. */
  readonly text: string;
  /** Names and arguments of tool calls, one after another. */
  readonly toolText: string;
  readonly toolCalls: readonly CalledTool[];
  /** Whether its token limit cut it off. */
  readonly endedAtLimit: boolean;
}

/** Compares a reply with the answer that its row expects. @param patterns tests regular expressions */
export function checkExpected(
  expected: Expected,
  reply: CheckedReply,
  patterns: PatternTester | undefined,
): Verdict {
  const answer = withoutReasoning(reply.text).trim();
  if ("regex" in expected) {
    const matches = patterns?.test(expected.regex, expected.flags ?? "", answer);
    if (matches === undefined) {
      return { outcome: VERDICT.unchecked, flaw: "the regex did not end in time" };
    }
    return matches ? FLAWLESS : wrong("no match of the regex", reply);
  }
  const flaw = flawOf(expected, answer, reply);
  return flaw === undefined ? FLAWLESS : wrong(flaw, reply);
}

function wrong(flaw: string, { endedAtLimit }: CheckedReply): Verdict {
  return {
    outcome: VERDICT.no,
    flaw: endedAtLimit ? `${flaw}; the token limit cut the reply off` : flaw,
  };
}

function flawOf(
  expected: Exclude<Expected, { readonly regex: string }>,
  answer: string,
  reply: CheckedReply,
): string | undefined {
  if ("exact" in expected) {
    return withPlainLines(answer) === withPlainLines(expected.exact)
      ? undefined
      : "another text than expected";
  }
  if ("number" in expected) return numberFlaw(expected, answer);
  if ("choice" in expected) {
    const letter = chosenLetter(answer);
    if (letter === undefined) return "no choice found";
    return letter === expected.choice ? undefined : "another choice than expected";
  }
  if ("json" in expected) {
    const json = jsonIn(answer);
    if (json === undefined) return "no JSON found";
    const difference = jsonDifference(expected.json, json.value);
    return difference === undefined ? undefined : `JSON differs at ${difference || "its root"}`;
  }
  if ("keywords" in expected) return keywordsFlaw(expected.keywords, answer);
  return toolCallsFlaw(expected.tool_calls, toolCallsOf(reply));
}

/** Returns an answer without the reasoning that some servers leave in it, which ends with a tag. */
export function withoutReasoning(text: string): string {
  const end = text.lastIndexOf("</think>");
  return end < 0 ? text : text.slice(end + "</think>".length);
}

/** Returns a text with line feeds only, in which a letter with an accent is one character. */
export function withPlainLines(text: string): string {
  return text.trim().replaceAll("\r\n", "\n").normalize("NFC");
}

function numberFlaw(
  { number, tolerance = 0 }: { readonly number: number; readonly tolerance?: number | undefined },
  answer: string,
): string | undefined {
  const found = lastNumber(answer);
  if (found === undefined) return "no number found";
  // Sums and differences of decimals are not exact: 0.1 + 0.2.
  const rounding = Math.max(Math.abs(found), Math.abs(number)) * 4 * Number.EPSILON;
  // A number beyond the largest one, or divided by 0, equals none.
  return Number.isFinite(found) && Math.abs(found - number) <= tolerance + rounding
    ? undefined
    : "another number than expected";
}

function keywordsFlaw(
  keywords: readonly (string | readonly string[])[],
  answer: string,
): string | undefined {
  const text = folded(answer);
  const missing = keywords.findIndex((keyword) =>
    ![keyword].flat().some((one) => text.includes(folded(one)))
  );
  return missing < 0 ? undefined : `keyword ${missing + 1} of ${keywords.length} is missing`;
}

/**
 * A text without differences of letter case, white space and apostrophes. Upper case makes "ß" equal to
 * "SS", and the two forms of the letter sigma.
 */
function folded(text: string): string {
  return text.normalize("NFC").toUpperCase().replaceAll("’", "'").replace(/\s+/g, " ");
}

function toolCallsFlaw(
  expected: readonly ToolCall[],
  calls: readonly ToolCall[],
): string | undefined {
  const left = [...calls];
  for (const [place, call] of expected.entries()) {
    const named = left.filter(({ name }) => name === call.name);
    if (named.length === 0) return `expected tool call ${place + 1} is missing`;
    const equal = named.find((other) =>
      jsonDifference(call.arguments, other.arguments) === undefined
    );
    if (equal === undefined) {
      const difference = jsonDifference(call.arguments, named[0]?.arguments);
      return `arguments of expected tool call ${place + 1} differ at ${difference || "their root"}`;
    }
    left.splice(left.indexOf(equal), 1);
  }
  return left.length === 0
    ? undefined
    : `${calls.length} tool calls, ${expected.length} were expected`;
}
