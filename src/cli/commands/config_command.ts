import type { Command } from "npm:commander@15.1.0";
import { EXIT_CODE } from "../terminal/exit_code.ts";
import { UsageError } from "../../config/options/usage_error.ts";

/** What `inferometer config` does, by its first operand. */
export const CONFIG_ACTIONS = ["init", "validate", "expand", "print"] as const;

/**
 * Runs `inferometer config init`, which writes a configuration file to start from, `config
 * validate`, which tells whether a file can be used, `config expand`, which prints what it comes to,
 * and `config print`, which prints the options in force and where each comes from.
 * @returns the exit code
 */
export async function configCommand(command: Command): Promise<number> {
  const [action = "", ...operands] = command.args;
  switch (action) {
    case "init": {
      const { configInit } = await import("../config/config_init.ts");
      await configInit(command, operands);
      return EXIT_CODE.done;
    }
    case "validate": {
      const { configValidate } = await import("../config/config_validate.ts");
      await configValidate(command, fileOf(operands, action));
      return EXIT_CODE.done;
    }
    case "expand": {
      const { configExpand } = await import("../config/config_expand.ts");
      await configExpand(command, fileOf(operands, action));
      return EXIT_CODE.done;
    }
    case "print": {
      const [file] = operands;
      if (file !== undefined) {
        throw new UsageError(undefined, `Name the file with --config ${file}`);
      }
      const { configPrint } = await import("../config/config_expand.ts");
      await configPrint(command);
      return EXIT_CODE.done;
    }
    default:
      throw new UsageError(
        undefined,
        `There is config ${
          CONFIG_ACTIONS.join(", ").replace(/, (?=[^,]*$)/, " and ")
        }: got "${action}"`,
      );
  }
}

function fileOf(operands: readonly string[], action: string): string {
  const [file, other] = operands;
  if (file === undefined) throw new UsageError(undefined, `config ${action} needs a file`);
  if (other !== undefined) {
    throw new UsageError(undefined, `Takes one file: also got "${other}"`);
  }
  return file;
}
