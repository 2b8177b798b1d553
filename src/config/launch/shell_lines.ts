import { quoted } from "../options/redacted_command.ts";
import type { LaunchPlan } from "./launch_plan.ts";

/** Longest line of a script. */
const WIDTH = 100;

/** Words of a command, with lines broken as a shell takes it. */
export function commandLines(words: readonly string[], indent: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (indent.length + longer.length + 2 > WIDTH && line !== "") {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  lines.push(line);
  return lines.join(` \\\n${indent}`);
}

/** Returns the options of the run for a shell; an option precedes its value. */
export function runOptions({ runWords }: LaunchPlan): string[] {
  const words: string[] = [];
  for (const word of runWords) {
    const last = words.at(-1);
    const isValue = !/^-{1,2}[a-zA-Z]/.test(word) && last !== undefined && /^-\S*$/.test(last);
    if (isValue) words[words.length - 1] = `${last} ${quoted(word)}`;
    else words.push(quoted(word));
  }
  return words;
}

/** Returns lines that stop a script if a variable with a secret is not set. */
export function secretChecks({ secretVariables }: LaunchPlan): string {
  return secretVariables.map((name) =>
    `: "\${${name}:?set it where you submit this: it is not printed}"\n`
  ).join("");
}
