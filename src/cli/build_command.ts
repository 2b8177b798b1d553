import { type Command, Option } from "commander";
import { kebab, type OptionSpec, variablesOf } from "../options/option.ts";
import { parseValue } from "../options/parse_value.ts";

/** Makes a commander option of a declaration. */
export function optionOf(spec: OptionSpec): Option {
  const flag = `--${kebab(spec.name)}`;
  const argument = spec.kind === "flag"
    ? ""
    : spec.kind === "texts"
    ? ` <${spec.value ?? "value"}...>`
    : ` <${spec.value ?? "value"}>`;
  const short = spec.short === undefined ? "" : `-${spec.short}, `;
  const option = new Option(`${short}${flag}${argument}`, describe(spec));
  // The name of an option of its own, not the denial of another one: both given is an error.
  option.negate = false;
  option.helpGroup(`${spec.group}:`);
  // Checked by the plan, which also takes other spellings; here they serve help and completion.
  if (spec.choices !== undefined) option.argChoices = [...spec.choices];
  if (spec.kind === "texts") {
    option.argParser((text: string, earlier: unknown) => [
      ...(Array.isArray(earlier) ? earlier : []),
      parseValue(spec, flag, text),
    ]);
  } else if (spec.kind !== "flag") {
    option.argParser((text: string) => parseValue(spec, flag, text));
  }
  return option;
}

function describe(spec: OptionSpec): string {
  const details = [
    ...(spec.choices === undefined ? [] : [spec.choices.join(" | ")]),
    ...(spec.fallback === undefined ? [] : [`default: ${spec.fallback}`]),
    ...(spec.example === undefined ? [] : [`e.g. ${spec.example}`]),
  ];
  return details.length === 0 ? spec.help : `${spec.help} (${details.join("; ")})`;
}

/** Adds options to a command. */
export function addOptions(command: Command, specs: readonly OptionSpec[]): Command {
  for (const spec of specs) command.addOption(optionOf(spec));
  return command;
}

/** The lines of help that say how options are set otherwise. */
export function sourcesHelp(specs: readonly OptionSpec[]): string {
  const first = specs[0] as OptionSpec;
  return `\nEvery option may also be set by a variable (--max-error-rate as ` +
    `${variablesOf({ ...first, name: "maxErrorRate" })[0]}) or in the file of\n` +
    `--config (max-error-rate: 0.01). A flag wins over a variable, a variable over the file.\n`;
}
