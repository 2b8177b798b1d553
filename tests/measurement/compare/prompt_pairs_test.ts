import assert from "node:assert/strict";
import {
  type AnswerVerdicts,
  AnswerVerdictsBuilder,
} from "../../../src/measurement/answers/answer_verdicts.ts";
import { promptPairs } from "../../../src/measurement/compare/prompt_pairs.ts";

/** Replies to these prompts, one session each. */
function replies(
  prompts: readonly (readonly [prompt: number, promptTokens: number, session: number])[],
): AnswerVerdicts {
  const builder = new AnswerVerdictsBuilder();
  for (const [prompt, promptTokens, session] of prompts) {
    builder.add(
      { prompt, session, turn: 0, promptTokens },
      { correct: 1, valid: NaN, anomalous: 0 },
    );
  }
  return builder.build("w", undefined) as AnswerVerdicts;
}

Deno.test("promptPairs pairs equal prompts in the order of sessions, and no other lengths", () => {
  const before = replies([[5, 10, 2], [5, 10, 1], [6, 20, 3], [7, NaN, 4]]);
  const after = replies([[7, 30, 1], [5, 10, 2], [6, 21, 3], [5, 10, 4], [5, 10, 5]]);
  const pairs = promptPairs(before, after);
  assert.deepEqual([[...pairs.before], [...pairs.after]], [[3, 1, 0], [0, 1, 3]]);
});
