import { HELP_TASKS } from "./help_tasks.ts";
import { topicOf } from "./help_text.ts";

/** Words that `profile --help` takes. */
const TOPICS = new Set([
  "all",
  ...HELP_TASKS.flatMap(({ topic, groups }) => [topic, ...groups.map(topicOf)]),
]);

/**
 * Returns the command line that prints the help of a command for `help report`, and
 * the options of `profile` by a topic for `help data`. Other command lines are returned unchanged.
 */
export function helpArguments(args: readonly string[], commands: readonly string[]): string[] {
  const [first, word, ...rest] = args;
  if (first !== "help") return [...args];
  if (word === undefined || word.startsWith("-")) return ["--help"];
  if (commands.includes(word)) return [word, "--help", ...rest];
  // Neither a command nor a topic: parsed as a command, it is refused by its name.
  return TOPICS.has(word) ? ["profile", "--help", word] : [word];
}
