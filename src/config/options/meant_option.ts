import { nearest } from "./nearest.ts";
import { flagOf, kebab, type OptionSpec, type OptionTable, specsOf } from "./option.ts";

/**
 * The option that was meant by one that does not exist: another tool's name for it, or a
 * misspelt one. undefined if none is near.
 * @param word as it was written, with or without dashes
 */
export function meantOption(word: string, table: OptionTable): OptionSpec | undefined {
  const name = kebab(word.replace(/^-+/, "")).replaceAll("_", "-");
  const specs = specsOf(table).filter(({ hidden }) => !hidden);
  const namesOf = ({ name, aliases = [] }: OptionSpec) => [kebab(name), ...aliases];
  const exact = specs.find((spec) => [...namesOf(spec), ...spec.mistakenFor ?? []].includes(name));
  // A letter is near to every short name.
  if (exact !== undefined || name.length < 3) return exact;
  const [longer, other] = specs.filter((spec) =>
    namesOf(spec).some((full) => full.startsWith(`${name}-`))
  );
  if (longer !== undefined && other === undefined) return longer;
  const guess = nearest(name, specs.flatMap(namesOf));
  return specs.find((spec) => guess !== undefined && namesOf(spec).includes(guess));
}

/** The question that an error ends with; nothing if no option is near. */
export function meantFlag(word: string, table: OptionTable): string {
  const meant = meantOption(word, table);
  return meant === undefined ? "" : ` (Did you mean ${flagOf(meant.name)}?)`;
}
