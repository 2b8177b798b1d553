import type { Command } from "npm:commander@15.1.0";
import { environmentVariable } from "../environment_variable.ts";
import { flagOf, type OptionSpec, type OptionTable, specsOf, variablesOf } from "../option.ts";
import { parseValue } from "../parse_value.ts";
import { homePath } from "../home_path.ts";
import type { GivenOptions } from "../settings.ts";

/** The value of an option, and where it comes from: a flag, a variable, or a file. */
export interface SourcedValue {
  readonly value: unknown;
  readonly source: string;
}

/**
 * The values of options from everywhere: flags first, then variables of the environment, then the
 * configuration file.
 * @param variable reads a variable of the environment
 * @throws {UsageError} if a variable or the file holds what the option cannot take
 */
export async function optionValues<Table extends OptionTable>(
  command: Command,
  table: Table,
  variable: (name: string) => string | undefined = environmentVariable,
): Promise<GivenOptions<Table>> {
  const sourced = await sourcedValues(command, table, variable);
  return Object.fromEntries(
    [...sourced].map(([name, { value }]) => [name, value]),
  ) as GivenOptions<Table>;
}

/** Returns the values by the options' names, each with its source. */
export async function sourcedValues(
  command: Command,
  table: OptionTable,
  variable: (name: string) => string | undefined = environmentVariable,
): Promise<Map<string, SourcedValue>> {
  const given = command.opts();
  const values = new Map<string, SourcedValue>();
  for (const spec of specsOf(table)) {
    const value = given[spec.name];
    const sourced = value === undefined
      ? variableValue(spec, variable)
      : { value, source: flagOf(spec.name) };
    if (sourced === undefined) continue;
    // A shell leaves the tilde of --option=~/path unchanged.
    values.set(spec.name, { ...sourced, value: homePath(spec, sourced.value, variable) });
  }
  const config = values.get("config")?.value;
  if (typeof config !== "string") return values;
  const { readConfigFile } = await import("./config_file.ts");
  const inFile = Object.entries(await readConfigFile(config, table, variable));
  return new Map([
    ...inFile.map(([name, value]) => [name, { value, source: config }] as const),
    ...values,
  ]);
}

function variableValue(
  spec: OptionSpec,
  variable: (name: string) => string | undefined,
): SourcedValue | undefined {
  for (const name of variablesOf(spec)) {
    const text = variable(name);
    if (text === undefined || text === "") continue;
    return { value: valueOf(spec, name, text), source: name };
  }
  return undefined;
}

function valueOf(spec: OptionSpec, name: string, text: string): unknown {
  if (spec.kind !== "texts") {
    return parseValue(spec, `${flagOf(spec.name)} (variable ${name})`, text);
  }
  // One list in one variable: lines, or else words; header values and JSON have blanks.
  const separator = text.includes("\n") ? /\n+/ : spec.words ? /[\s,]+/ : /\n/;
  return text.split(separator).filter((entry) => entry !== "");
}
