import assert from "node:assert/strict";
import { TASK_KINDS } from "../../../../src/config/plan/task_kinds.ts";
import { VerifyTasks } from "../../../../src/load/dataset/synthetic/verify_tasks.ts";
import { checkExpected } from "../../../../src/measurement/answers/expected/check_expected.ts";
import { VERDICT } from "../../../../src/client/record/verdict.ts";
import { taskAnswer } from "../../../../src/mock/task_answer.ts";
import { BUILTIN } from "../../../support/builtin.ts";

Deno.test("VerifyTasks creates tasks of about a length whose answers are right", () => {
  const tasks = new VerifyTasks(TASK_KINDS, 7, BUILTIN);
  for (const tokens of [1, 80, 500, 6000]) {
    for (let index = 0; index < 9; index++) {
      const { text, expected } = tasks.task(index, tokens);
      const answer = taskAnswer(text);
      assert.ok(answer !== undefined, text.slice(-200));
      const reply = { text: answer, toolText: "", toolCalls: [], endedAtLimit: false };
      assert.equal(checkExpected(expected, reply, undefined).outcome, VERDICT.yes);
      const wrong = { ...reply, text: `${answer} 1` };
      assert.equal(checkExpected(expected, wrong, undefined).outcome, VERDICT.no);
      const counted = BUILTIN.count(text);
      assert.ok(tokens < 80 || Math.abs(counted / tokens - 1) < 0.2, `${counted} of ${tokens}`);
    }
  }
});

Deno.test("VerifyTasks creates the same task for a request, whichever came before", () => {
  const [one, other] = [1, 2].map(() => new VerifyTasks(["copy", "lookup"], 7, BUILTIN));
  const forwards = [0, 1, 2, 3].map((index) => one?.task(index, 200));
  const backwards = [3, 2, 1, 0].map((index) => other?.task(index, 200)).reverse();
  assert.deepEqual(forwards, backwards);
  assert.equal(new Set(forwards.map((task) => task?.text)).size, 4);
  const seeded = new VerifyTasks(["copy", "lookup"], 8, BUILTIN).task(0, 200);
  assert.notEqual(seeded.text, forwards[0]?.text);
});

Deno.test("VerifyTasks asks about all places of a list", () => {
  const tasks = new VerifyTasks(["lookup"], 1, BUILTIN);
  const places = Array.from({ length: 200 }, (_, index) => {
    const { text } = tasks.task(index, 300);
    const [, key = ""] = /Find the value of (\S+) in/.exec(text) ?? [];
    return text.indexOf(`${key}: `) / text.length;
  });
  assert.ok(Math.min(...places) < 0.1 && Math.max(...places) > 0.85);
});
