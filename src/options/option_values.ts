import type { Command } from "commander";
import type { OptionValues } from "./config_file.ts";
import { kebab, type OptionSpec, variablesOf } from "./option.ts";
import { parseValue } from "./parse_value.ts";
import { environmentVariable } from "./environment_variable.ts";

/**
 * The values of options from everywhere: flags first, then variables of the environment, then the
 * configuration file.
 * @throws {UsageError} if a variable holds what the option cannot take
 */
export async function optionValues(
  command: Command,
  specs: readonly OptionSpec[],
): Promise<OptionValues> {
  const given = command.opts();
  const configPath = configPathOf(command);
  let values: OptionValues = {};
  if (configPath !== undefined) {
    const { readConfigFile } = await import("./config_file.ts");
    values = await readConfigFile(configPath, specs);
  }
  for (const spec of specs) {
    if (given[spec.name] !== undefined) {
      values[spec.name] = given[spec.name];
      continue;
    }
    const fromEnvironment = variableValue(spec);
    if (fromEnvironment !== undefined) values[spec.name] = fromEnvironment;
  }
  return values;
}

/** The configuration file of a command line, if it has one. */
export function configPathOf(command: Command): string | undefined {
  return command.opts()["config"] ?? environmentVariable("INFEROMETER_CONFIG");
}

/** Options whose entries have no blanks in them. */
const LISTS_OF_WORDS = new Set(["url", "serverMetrics", "serverMetricsFormats"]);

function variableValue(spec: OptionSpec): unknown {
  for (const name of variablesOf(spec)) {
    const text = environmentVariable(name);
    if (text === undefined || text === "") continue;
    const where = `--${kebab(spec.name)} (variable ${name})`;
    if (spec.kind !== "texts") return parseValue(spec, where, text);
    // One list in one variable: lines, or else words; header values and JSON have blanks.
    const separator = text.includes("\n") ? /\n+/ : LISTS_OF_WORDS.has(spec.name) ? /[\s,]+/ : /\n/;
    return text.split(separator).filter((entry) => entry !== "");
  }
  return undefined;
}
