import { flagOf, type OptionTable, specsOf } from "./option.ts";

/** A sentence that names the given options which change nothing; undefined if there are none. */
export function noEffectNotice(
  table: OptionTable,
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const names = specsOf(table).filter(({ name, noEffect }) =>
    noEffect && given[name] !== undefined && given[name] !== false
  ).map(({ name }) => flagOf(name));
  if (names.length === 0) return undefined;
  return `${names.join(", ")} ${names.length === 1 ? "has" : "have"} no effect in inferometer`;
}
