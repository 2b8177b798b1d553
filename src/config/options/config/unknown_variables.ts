import { CONFIG_VARIABLE_PREFIX } from "./config_expressions.ts";
import { nearest } from "../nearest.ts";
import { type OptionTable, specsOf, variablesOf } from "../option.ts";

const PREFIX = "INFEROMETER_";
/** Variables for the tests of this project, which select what they run. */
const OF_TESTS = /^INFEROMETER_(BINARY|TEST_.*)$/;

/**
 * Returns a sentence for each environment variable that looks like an option's but is not one.
 * @param tables of all commands: a variable may be meant for another one
 * @param environment all variables that may be read
 */
export function unknownVariables(
  tables: Iterable<OptionTable>,
  environment: Readonly<Record<string, string>>,
): string[] {
  const set = Object.entries(environment)
    // An empty variable is as good as none.
    .filter(([name, value]) => name.startsWith(PREFIX) && value !== "");
  if (set.length === 0) return [];
  const known = [...tables].flatMap(specsOf).flatMap(variablesOf)
    .filter((name) => name.startsWith(PREFIX));
  return set.map(([name]) => name)
    .filter((name) =>
      !known.includes(name) && !OF_TESTS.test(name) && !name.startsWith(CONFIG_VARIABLE_PREFIX)
    )
    .sort()
    .map((name) => {
      const ending = name.slice(PREFIX.length).toLowerCase();
      const guess = nearest(ending, known.map((name) => name.slice(PREFIX.length).toLowerCase()));
      return `The variable ${name} sets no option` +
        (guess === undefined ? "" : `, did you mean ${PREFIX}${guess.toUpperCase()}?`);
    });
}
