import { kebab, type OptionTable } from "./option.ts";

/**
 * Arguments with every alias of a long option replaced by the option's own name, also in
 * `--alias=value`, and `_` in option names read as `-`; options that may be without a value are left
 * out where they are.
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
  const bare = new Set(
    Object.entries(table).flatMap(([name, { mayBeBare }]) => mayBeBare ? [`--${kebab(name)}`] : []),
  );
  const canonical = args.map((argument) => {
    const match = /^--([a-z][\w-]*)(=.*)?$/s.exec(argument);
    if (match === null) return argument;
    const name = (match[1] as string).replaceAll("_", "-");
    return `--${names.get(name) ?? name}${match[2] ?? ""}`;
  });
  const bareValues = new Map(
    Object.entries(table).flatMap(([name, { bareValue }]) =>
      bareValue === undefined ? [] : [[`--${kebab(name)}`, bareValue]]
    ),
  );
  const isBare = (index: number): boolean => /^(-.*)?$/s.test(canonical[index + 1] ?? "");
  return canonical.map((argument, index) => {
    const value = bareValues.get(argument);
    const hasNext = bare.has(argument) && !isBare(index);
    return value === undefined || hasNext ? argument : `${argument}=${value}`;
  }).filter((argument, index) => !bare.has(argument) || !isBare(index));
}
