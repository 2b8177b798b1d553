import { canonicalJson } from "../../../core/files/canonical_json.ts";
import type { Redactor } from "../../../core/secrets/redactor.ts";
import { calledText } from "../called_text.ts";
import { commonLength } from "../common_length.ts";
import { ending, excerpt } from "../excerpt.ts";
import { jsonPlace } from "./json_place.ts";
import { type ToolCall, toolCallsOf } from "../tool_calls.ts";
import { type CheckedReply, withoutReasoning, withPlainLines } from "../expected/check_expected.ts";
import type { Expected } from "../expected/expected.ts";
import { jsonDifference } from "../expected/json_difference.ts";
import { jsonIn } from "../expected/json_in.ts";

/** Expected and given answer, as a report shows them side by side. */
export interface ShownAnswers {
  readonly expected: string;
  readonly reply: string;
}

/** Text and the character of it around which it is shown; without one, its end is shown. */
type Placed = readonly [text: string, at?: number];

/**
 * Returns excerpts of an expected answer and of a reply that differs from it, around the first
 * difference.
 * @param redact takes secrets out of whole texts, before an excerpt could cut them in two
 */
export function shownAnswers(
  expected: Expected,
  reply: CheckedReply,
  redact: Redactor,
): ShownAnswers {
  const [wanted, given] = placedAnswers(expected, reply)
    .map(([text, at]) => at === undefined ? ending(redact(text)) : excerpt(redact(text), at));
  return { expected: wanted as string, reply: given as string };
}

function placedAnswers(
  expected: Expected,
  reply: CheckedReply,
): readonly [expected: Placed, reply: Placed] {
  const answer = withoutReasoning(reply.text).trim();
  if ("exact" in expected) {
    return untilDifference(withPlainLines(expected.exact), withPlainLines(answer));
  }
  if ("json" in expected) return placedJson(expected.json, answer);
  if ("tool_calls" in expected) {
    const calls = toolCallsOf(reply);
    const wanted = lines(expected.tool_calls);
    return calls.length === 0 ? [[wanted, 0], [answer, 0]] : untilDifference(wanted, lines(calls));
  }
  if ("regex" in expected) {
    return [[`/${expected.regex}/${expected.flags ?? ""}`, 0], [answer, 0]];
  }
  if ("keywords" in expected) {
    const words = expected.keywords.map((keyword) => [keyword].flat().join(" or "));
    return [[words.join(", "), 0], [answer, 0]];
  }
  // Numbers and letters are looked for from the end.
  if ("choice" in expected) return [[expected.choice, 0], [answer]];
  const { number, tolerance = 0 } = expected;
  return [[tolerance === 0 ? `${number}` : `${number} ± ${tolerance}`, 0], [answer]];
}

function placedJson(expected: unknown, answer: string): readonly [Placed, Placed] {
  const wanted = JSON.stringify(expected);
  const found = jsonIn(answer);
  const pointer = found && jsonDifference(expected, found.value);
  return found === undefined || pointer === undefined
    ? [[wanted, 0], [answer, 0]]
    : [[wanted, jsonPlace(wanted, pointer)], [found.text, jsonPlace(found.text, pointer)]];
}

function untilDifference(expected: string, reply: string): readonly [Placed, Placed] {
  const at = commonLength(expected, reply);
  return [[expected, at], [reply, at]];
}

/** Tool calls as lines, with the names of arguments in order. */
function lines(calls: readonly ToolCall[]): string {
  return calledText(
    calls.map((call) => ({ name: call.name, argumentsText: canonicalJson(call.arguments) ?? "" })),
  );
}
