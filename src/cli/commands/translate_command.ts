import { PROFILE_COMMAND_OPTIONS } from "../../config/options/commands/option_tables.ts";
import { redactedCommand } from "../../config/options/redacted_command.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { translate } from "../../config/translate/translate.ts";
import { printableText } from "../../report/console/printable_text.ts";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { readInput } from "../operands/read_input.ts";
import { writeError, writeOut } from "../terminal/terminal.ts";

/**
 * Runs `inferometer translate`: the command lines go to standard output, what there is to say about
 * them to standard error.
 * @param words the command line of another tool
 * @returns the exit code
 */
export async function translateCommand(words: readonly string[]): Promise<number> {
  if (words.length === 0) {
    throw new UsageError("translate", "Expected a command line: translate vllm bench serve ...");
  }
  const { tool, lines, notes } = await translate(
    words,
    async (path) => new TextDecoder().decode(await readInput(path)),
  );
  writeError(`# ${tool}\n`);
  let hidesSecret = false;
  for (const line of lines) {
    // An API key is not printed, as nowhere else.
    const command = redactedCommand(line, PROFILE_COMMAND_OPTIONS);
    hidesSecret ||= command.includes("<redacted>") && !line.join(" ").includes("<redacted>");
    writeOut(`${printableText(command, Infinity)}\n`);
  }
  for (const note of notes) writeError(`# ${printableText(note, Infinity)}\n`);
  if (hidesSecret) {
    writeError("# secrets are not printed: put them in again, or set INFEROMETER_API_KEY\n");
  }
  return EXIT_CODE.done;
}
