import { kebab, type OptionTable } from "./option.ts";

/**
 * Arguments with every alias of a long option replaced by the option's own name, also in
 * `--alias=value`, and `_` in option names read as `-`.
 */
export function canonicalArguments(
  args: readonly string[],
  table: OptionTable,
): string[] {
  const names = new Map(
    Object.entries(table).flatMap(([name, { aliases = [] }]) =>
      aliases.map((alias) => [alias, kebab(name)])
    ),
  );
  return args.map((argument) => {
    const match = /^--([a-z][\w-]*)(=.*)?$/s.exec(argument);
    if (match === null) return argument;
    const name = (match[1] as string).replaceAll("_", "-");
    return `--${names.get(name) ?? name}${match[2] ?? ""}`;
  });
}
