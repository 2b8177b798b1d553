/**
 * Answers to the tasks of `--verify-tasks`, found by the mock's own rules: a load generator that
 * expects a wrong answer must not agree with a mock that makes the same mistake.
 */

/** Returns the answer to the question at the end of a prompt; undefined if it is no known task. */
export function taskAnswer(prompt: string): string | undefined {
  const question = prompt.slice(prompt.lastIndexOf("\n") + 1);
  const [, exercise] = /^Solve exercise (\d+)\./.exec(question) ?? [];
  if (exercise !== undefined) {
    const sum = lineBehind(prompt, `Exercise ${exercise}: `)?.replace(/\s*=.*$/, "");
    return sum === undefined ? undefined : String(sumOf(sum));
  }
  const [, line] = /^Repeat line (\d+) word by word\./.exec(question) ?? [];
  if (line !== undefined) return lineBehind(prompt, `Line ${line}: `);
  const [, key] = /^Find the value of (\S+) in the table\./.exec(question) ?? [];
  return key === undefined ? undefined : lineBehind(prompt, `${key}: `);
}

/** The rest of the first line that begins so. */
function lineBehind(prompt: string, beginning: string): string | undefined {
  return prompt.split("\n").find((line) => line.startsWith(beginning))?.slice(beginning.length);
}

/** The value of a sum such as `12 + 7 - 5`. */
function sumOf(text: string): number {
  const terms = text.replaceAll(" ", "").match(/[+-]?\d+/g) ?? [];
  return terms.reduce((sum, term) => sum + Number(term), 0);
}
