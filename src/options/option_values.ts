import type { Command } from "npm:commander@15.1.0";
import type { OptionValues } from "./config_file.ts";
import { environmentVariable } from "./environment_variable.ts";
import { flagOf, type OptionSpec, type OptionTable, specsOf, variablesOf } from "./option.ts";
import { parseValue } from "./parse_value.ts";
import type { GivenOptions } from "./settings.ts";

/**
 * The values of options from everywhere: flags first, then variables of the environment, then the
 * configuration file.
 * @param variable reads a variable of the environment
 * @throws {UsageError} if a variable holds what the option cannot take
 */
export async function optionValues<Table extends OptionTable>(
  command: Command,
  table: Table,
  variable: (name: string) => string | undefined = environmentVariable,
): Promise<GivenOptions<Table>> {
  const given = command.opts();
  const values: OptionValues = {};
  for (const spec of specsOf(table)) {
    const value = given[spec.name] ?? variableValue(spec, variable);
    if (value !== undefined) values[spec.name] = value;
  }
  const { config } = values;
  if (typeof config !== "string") return values as GivenOptions<Table>;
  const { readConfigFile } = await import("./config_file.ts");
  return { ...await readConfigFile(config, table), ...values } as GivenOptions<Table>;
}

function variableValue(
  spec: OptionSpec,
  variable: (name: string) => string | undefined,
): unknown {
  for (const name of variablesOf(spec)) {
    const text = variable(name);
    if (text === undefined || text === "") continue;
    const where = `${flagOf(spec.name)} (variable ${name})`;
    if (spec.kind !== "texts") return parseValue(spec, where, text);
    // One list in one variable: lines, or else words; header values and JSON have blanks.
    const separator = text.includes("\n") ? /\n+/ : spec.words ? /[\s,]+/ : /\n/;
    return text.split(separator).filter((entry) => entry !== "");
  }
  return undefined;
}
