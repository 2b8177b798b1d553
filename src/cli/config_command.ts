import { fileReason } from "../files/file_reason.ts";
import type { Command } from "npm:commander@15.1.0";
import { PROFILE_COMMAND_OPTIONS } from "../options/option_tables.ts";
import { sourcedValues } from "../options/option_values.ts";
import { resolveOptions } from "../options/resolve_options.ts";
import type { GivenOptions } from "../options/settings.ts";
import { sweptOptions } from "../options/swept_options.ts";
import { UsageError } from "../options/usage_error.ts";
import { configInForce, configToStartFrom } from "./config_text.ts";
import { EXIT_CODE } from "./exit_code.ts";
import { writeOut } from "./terminal.ts";

/** Where `config init` writes unless a name is given. */
const DEFAULT_FILE = "run.yaml";

/**
 * Runs `inferometer config init`, which writes a configuration file to start from, or `inferometer
 * config print`, which prints the options in force and where each comes from.
 * @returns the exit code
 */
export async function configCommand(command: Command): Promise<number> {
  const [action = "", file] = command.args;
  switch (action) {
    case "init":
      await writeNew(file ?? DEFAULT_FILE, configToStartFrom(PROFILE_COMMAND_OPTIONS));
      return EXIT_CODE.done;
    case "print":
      if (file !== undefined) {
        throw new UsageError(undefined, `Name the file with --config ${file}`);
      }
      writeOut(await textInForce(command));
      return EXIT_CODE.done;
    default:
      throw new UsageError(undefined, `There is config init and config print: got "${action}"`);
  }
}

async function textInForce(command: Command): Promise<string> {
  const values = await sourcedValues(command, PROFILE_COMMAND_OPTIONS);
  const given = Object.fromEntries([...values].map(([name, { value }]) => [name, value]));
  const { base, swept } = sweptOptions(PROFILE_COMMAND_OPTIONS, given);
  const settings = {
    ...resolveOptions(
      PROFILE_COMMAND_OPTIONS,
      base as GivenOptions<typeof PROFILE_COMMAND_OPTIONS>,
    ),
    ...Object.fromEntries(swept.map(({ option, values }) => [option, values])),
  };
  const sources = new Map([...values].map(([name, { source }]) => [name, source]));
  return configInForce(PROFILE_COMMAND_OPTIONS, settings, sources);
}

async function writeNew(path: string, text: string): Promise<void> {
  if (path === "-") {
    writeOut(text);
    return;
  }
  try {
    await Deno.writeTextFile(path, text, { createNew: true });
  } catch (error) {
    const reason = error instanceof Deno.errors.AlreadyExists
      ? "File already exists and is left unchanged"
      : fileReason(error);
    throw new UsageError(undefined, `${path}: ${reason}`);
  }
  writeOut(`Wrote ${path}; use it with: inferometer profile --config ${path}\n`);
}
