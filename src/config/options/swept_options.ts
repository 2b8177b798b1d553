import { checkedValue } from "./checked_value.ts";
import { flagOf, kebab, type OptionTable, specsOf } from "./option.ts";
import { UsageError } from "./usage_error.ts";

/** An option with several values. */
export interface SweptOption {
  /** Name in camel case. */
  readonly option: string;
  /** Name of the points: `concurrency`, `request_rate`. */
  readonly name: string;
  /** Each once, in the order they were given. */
  readonly values: readonly number[];
}

/** Options without their lists, and the lists. */
export interface SweptOptions<Given> {
  /** With the first value of each list in its place. */
  readonly base: Given;
  /** By their names, whatever their order was. */
  readonly swept: readonly SweptOption[];
}

/**
 * Takes the lists out of options.
 * @throws {UsageError} if a value cannot be used, or is there twice
 */
export function sweptOptions<Given extends Readonly<Record<string, unknown>>>(
  table: OptionTable,
  given: Given,
): SweptOptions<Given> {
  const base: Record<string, unknown> = { ...given };
  const swept: SweptOption[] = [];
  for (const spec of specsOf(table)) {
    // Types know single numbers only: lists are what this is about.
    const value = given[spec.name];
    if (spec.kind === "texts" || !Array.isArray(value)) continue;
    const values = value.map((one) => checkedValue(spec, one) as number);
    if (new Set(values).size < values.length) {
      throw new UsageError(flagOf(spec.name), `Names a value twice: got ${values.join(",")}`);
    }
    base[spec.name] = values[0];
    if (values.length > 1) {
      swept.push({ option: spec.name, name: kebab(spec.name).replaceAll("-", "_"), values });
    }
  }
  swept.sort((a, b) => a.name < b.name ? -1 : 1);
  return { base: base as Given, swept };
}
