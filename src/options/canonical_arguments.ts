import { kebab, type OptionSpec } from "./option.ts";

/**
 * Arguments with every alias of a long option replaced by the option's own name, also in
 * `--alias=value`, and `_` in option names read as `-`.
 */
export function canonicalArguments(
  args: readonly string[],
  specs: readonly OptionSpec[],
): string[] {
  const names = new Map(
    specs.flatMap((spec) => (spec.aliases ?? []).map((alias) => [alias, kebab(spec.name)])),
  );
  return args.map((argument) => {
    const match = /^--([a-z][\w-]*)(=.*)?$/s.exec(argument);
    if (match === null) return argument;
    const name = (match[1] as string).replaceAll("_", "-");
    return `--${names.get(name) ?? name}${match[2] ?? ""}`;
  });
}
