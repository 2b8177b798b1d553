import { type Command, Option } from "npm:commander@15.1.0";
import {
  flagOf,
  type OptionSpec,
  type OptionTable,
  placeholderOf,
  specsOf,
} from "../../config/options/option.ts";
import { parseValue } from "../../config/options/parse_value.ts";

/** Makes a commander option of a declaration; what it says in help is no concern of commander. */
function optionOf(spec: OptionSpec): Option {
  const flag = flagOf(spec.name);
  const short = spec.short === undefined ? "" : `-${spec.short}, `;
  const option = new Option(`${short}${flag} ${placeholderOf(spec)}`.trim());
  // The name of an option of its own, not the denial of another one: both given is an error.
  option.negate = false;
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

/** Adds options to a command. */
export function addOptions(command: Command, table: OptionTable): Command {
  for (const spec of specsOf(table)) command.addOption(optionOf(spec));
  return command;
}
