import { UsageError } from "../../config/options/usage_error.ts";
import { BASH_COMPLETION } from "../command_line/bash_completion.ts";
import type { CliCommand } from "../command_line/cli_command.ts";
import { completionOf } from "../command_line/completion.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { SHELLS } from "../command_line/shells.ts";
import { writeOut } from "../terminal/terminal.ts";

/** Cobra's numbers, which the scripts of the shells know. */
const DIRECTIVES = { "file": 0, "none": 4, "folder": 16 } as const;

/**
 * Runs `inferometer complete`: prints the completion script of a shell, or, after `--`, what such a
 * script asks for: a word and what it means on each line, and a number that says what else fits.
 * @returns the exit code
 */
export async function completeCommand(
  args: readonly string[],
  commands: readonly CliCommand[],
): Promise<number> {
  if (args[0] === "--") {
    const { words, files } = await completionOf(args.slice(1), commands);
    const lines = words.map(([word, meaning]) => meaning === "" ? word : `${word}\t${meaning}`);
    writeOut(`${[...lines, `:${DIRECTIVES[files]}`].join("\n")}\n`);
    return EXIT_CODE.done;
  }
  const shell = SHELLS.find((name) => name === args[0]);
  if (shell === undefined) {
    throw new UsageError("SHELL", `Must be one of ${SHELLS.join(", ")}: got "${args[0] ?? ""}"`);
  }
  if (shell === "bash") writeOut(BASH_COMPLETION);
  else {
    const { default: tab } = await import("npm:@bomb.sh/tab@0.0.22");
    // It prints on its own.
    tab.setup("inferometer", "inferometer", shell);
  }
  return EXIT_CODE.done;
}
