import assert from "node:assert/strict";
import { chosenLetter } from "../../../../src/measurement/answers/expected/chosen_letter.ts";

const CASES: readonly (readonly [answer: string, letter: string | undefined])[] = [
  ["B", "B"],
  ["b", "B"],
  ["(c)", "C"],
  ["**D**.", "D"],
  ["B.", "B"],
  ["Answer: B", "B"],
  ["**Answer:** C", "C"],
  ["The correct answer is (D) because A is wrong.", "D"],
  ["The answer is B. No, the answer is C.", "C"],
  ["I choose option A", "A"],
  ["It is Rome.\n\nAnswer: **b**.\n\nRome is a city.", "B"],
  ["The answer is a matter of taste", undefined],
  ["The correct answer is: **B) Paris**", "B"],
  ["The answer is B. Option A is wrong, and option C is, too.", "B"],
  ["Option A is wrong. Option C fits.", "C"],
  ["<answer>D</answer>", "D"],
  ['{"answer": "C"}', "C"],
  ["The answer is \\textbf{B}.", "B"],
  ["So we get $\\boxed{B}$", "B"],
  ["\\boxed{\\mathrm{A}}", "A"],
  ["\\boxed{\\text{(A)}}", "A"],
  ["B) Paris", "B"],
  ["C. Rome, as A) is in France", "C"],
  ["It must be (B), not (C)? In the end (A)", "A"],
  ["I think it's B.", "B"],
  ["The best choice would be B", "B"],
  ["The answer must therefore be **C**, not A.", "C"],
  ["Option A is wrong. B is correct.", "B"],
  ["Therefore, (D) is the best fit.", "D"],
  ["answer: (b) Jupiter", "B"],
  ["the answer is c because a is wrong", "C"],
  ["b) Jupiter", "B"],
  ["it is (b), as shown", "B"],
  ["\\boxed{b}", "B"],
  ["Answer - B", "B"],
  ["答案：B", "B"],
  ["答案是【C】", "C"],
  ["（A）", "A"],
  ["Name of the plural: planet(s)", undefined],
  ["made in the U.S.A.", undefined],
  ["A cat sat", undefined],
  ["I think so", undefined],
  ["", undefined],
];

Deno.test("chosenLetter finds the letter that an answer chooses", () => {
  for (const [answer, letter] of CASES) assert.equal(chosenLetter(answer), letter, answer);
});

Deno.test("chosenLetter takes no time that grows with the square of a text", () => {
  // Patterns that backtrack would not end.
  for (const text of ["B" + "*".repeat(500_000), "\n".repeat(500_000), "answer ".repeat(70_000)]) {
    assert.ok([undefined, "B"].includes(chosenLetter(text)));
  }
});

Deno.test("chosenLetter takes no long time for long rows of marks and blanks", () => {
  for (const mark of ["*", " ", "(", '"']) {
    const text = `Answer${mark.repeat(500_000)}`;
    assert.equal(chosenLetter(`${text}B`), "B");
    assert.equal(chosenLetter(`${text}\nAnswer: B`), "B");
  }
});
