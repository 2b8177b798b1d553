import { Command } from "commander";
import { addOptions } from "../../src/cli/command_line/build_command.ts";
import { canonicalArguments } from "../../src/config/options/canonical_arguments.ts";
import type { OptionTable } from "../../src/config/options/option.ts";
import { optionValues } from "../../src/config/options/config/option_values.ts";
import type { GivenOptions } from "../../src/config/options/settings.ts";

/** The values that flags, and variables of an environment, give to a command's options. */
export function parseOptions<Table extends OptionTable>(
  table: Table,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<GivenOptions<Table>> {
  const command = addOptions(new Command().exitOverride(), table);
  command.configureOutput({ writeErr: () => {} });
  command.parse(canonicalArguments(args, table), { from: "user" });
  return optionValues(command, table, (name) => environment[name]);
}

/** The words of a line, as a shell splits it: blanks inside of quotes do not. */
export function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word.replaceAll('"', ""));
}
