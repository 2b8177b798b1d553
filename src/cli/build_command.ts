import { type Command, Option } from "npm:commander@15.1.0";
import {
  defaultTextOf,
  flagOf,
  type OptionSpec,
  type OptionTable,
  placeholderOf,
  specsOf,
} from "../options/option.ts";
import { parseValue } from "../options/parse_value.ts";

/** Makes a commander option of a declaration. */
export function optionOf(spec: OptionSpec): Option {
  const flag = flagOf(spec.name);
  const short = spec.short === undefined ? "" : `-${spec.short}, `;
  const option = new Option(`${short}${flag} ${placeholderOf(spec)}`.trim(), describe(spec));
  // The name of an option of its own, not the denial of another one: both given is an error.
  option.negate = false;
  option.helpGroup(`${spec.group}:`);
  option.hideHelp(spec.hidden === true);
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
  const defaultText = defaultTextOf(spec);
  const details = [
    ...(spec.choices === undefined ? [] : [spec.choices.join(" | ")]),
    ...(defaultText === undefined ? [] : [`default: ${defaultText}`]),
    ...(spec.example === undefined ? [] : [`e.g. ${spec.example}`]),
  ];
  return details.length === 0 ? spec.help : `${spec.help} (${details.join("; ")})`;
}

/** Adds options to a command. */
export function addOptions(command: Command, table: OptionTable): Command {
  for (const spec of specsOf(table)) command.addOption(optionOf(spec));
  return command;
}

/** The lines of help that say how options are set otherwise. */
export const SOURCES_HELP = `
Every option may also be set by a variable (--max-error-rate as INFEROMETER_MAX_ERROR_RATE) or in the file of
--config (max-error-rate: 0.01). A flag wins over a variable, a variable over the file.
`;
