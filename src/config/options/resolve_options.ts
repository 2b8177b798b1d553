import { checkedValue } from "./checked_value.ts";
import { flagOf, type OptionSpec, type OptionTable, specsOf } from "./option.ts";
import type { GivenOptions, Settings } from "./settings.ts";
import { UsageError } from "./usage_error.ts";

/**
 * Checks options by their table, and fills in defaults.
 * @throws {UsageError} naming the first option that cannot be used, and why
 */
export function resolveOptions<Table extends OptionTable>(
  table: Table,
  given: GivenOptions<Table>,
): Settings<Table> {
  const specs = specsOf(table);
  const settings: Record<string, unknown> = {};
  for (const spec of specs) {
    const { [spec.name]: value = spec.default } = given;
    if (value !== undefined) settings[spec.name] = checkedValue(spec, value);
    else if (spec.kind === "flag") settings[spec.name] = false;
  }
  checkCombinations(specs, given);
  return settings as Settings<Table>;
}

function checkCombinations(
  specs: readonly OptionSpec[],
  values: Readonly<Record<string, unknown>>,
): void {
  const isGiven = (name: string): boolean => values[name] !== undefined && values[name] !== false;
  for (const { name, needs = [], excludes = [] } of specs) {
    if (!isGiven(name)) continue;
    if (needs.length > 0 && !needs.some(isGiven)) {
      throw new UsageError(flagOf(name), `Needs ${needs.map(flagOf).join(" or ")}`);
    }
    const conflict = excludes.find(isGiven);
    if (conflict !== undefined) {
      throw new UsageError(flagOf(conflict), `Cannot be used together with ${flagOf(name)}`);
    }
  }
}
