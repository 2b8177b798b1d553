/**
 * Expressions in a configuration file, as in AIPerf's: `${NAME}` and `${NAME:default}` for
 * variables of the environment, and `{{ base * 2 }}` for expressions over the file's own
 * `variables`.
 */

import type { JinjaText } from "./jinja_expression.ts";

/** Prefix of environment variables that are only for configuration files. */
export const CONFIG_VARIABLE_PREFIX = "INFEROMETER_VAR_";

/** `$${` stands for `${`. */
const ENVIRONMENT = /\$\$\{|\$\{([A-Za-z_]\w*)(?::((?:[^{}]|\{[^{}]*\})*))?\}/g;
const STATEMENT = /\{[%#]/;
const NAME = /^[A-Za-z_]\w*$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Fills in the values of a file. */
export class ConfigExpressions {
  readonly #environment: (name: string) => string | undefined;
  #variables: Readonly<Record<string, unknown>> | undefined;
  #read: (text: string) => JinjaText = () => {
    throw new RangeError("There are no variables");
  };

  /** @param environment reads a variable of the environment */
  constructor(environment: (name: string) => string | undefined) {
    this.#environment = environment;
  }

  /**
   * Takes the file's `variables`, which may refer to each other in any order. Without them, braces
   * are text.
   * @throws {RangeError} if one is no single value, or cannot be computed
   */
  async define(variables: unknown): Promise<void> {
    if (typeof variables !== "object" || variables === null || Array.isArray(variables)) {
      throw new RangeError('"variables" must be a mapping of names to values');
    }
    const { jinjaText } = await import("./jinja_expression.ts");
    this.#read = jinjaText;
    const known: Record<string, unknown> = Object.create(null);
    const waiting = new Map<string, JinjaText>();
    const names = Object.keys(variables);
    for (const [name, value] of Object.entries(variables)) {
      if (!NAME.test(name)) {
        throw new RangeError(`A variable's name is letters, digits and _: got "${name}"`);
      }
      const filled = this.#withEnvironment(value);
      const expression = typeof filled === "string" ? this.#expression(filled, names) : undefined;
      if (expression !== undefined) waiting.set(name, expression);
      else known[name] = typed(filled);
    }
    while (waiting.size > 0) {
      const ready = [...waiting].filter(([, { names }]) => names.every((name) => name in known));
      if (ready.length === 0) {
        throw new RangeError(`Variables refer to each other: ${[...waiting.keys()].join(", ")}`);
      }
      for (const [name, expression] of ready) {
        known[name] = typed(expression.render(known));
        waiting.delete(name);
      }
    }
    this.#variables = known;
  }

  /**
   * Returns a value with everything filled in, lists and mappings included.
   * @throws {RangeError} naming what is missing
   */
  fill(value: unknown): unknown {
    const filled = this.#withEnvironment(value);
    const variables = this.#variables;
    if (variables === undefined) return filled;
    const names = Object.keys(variables);
    return eachText(filled, (text) => this.#expression(text, names)?.render(variables) ?? text);
  }

  #withEnvironment(value: unknown): unknown {
    return eachText(
      value,
      (text) =>
        text.replace(ENVIRONMENT, (whole: string, name?: string, byDefault?: string) => {
          if (name === undefined) return whole.slice(1);
          const found = this.#environment(name) || this.#environment(CONFIG_VARIABLE_PREFIX + name);
          if (found) return found;
          if (byDefault !== undefined) return byDefault;
          throw new RangeError(
            `The variable ${name} is not set, or the program may not read it: set ` +
              `${CONFIG_VARIABLE_PREFIX}${name}, or write \${${name}:default}`,
          );
        }),
    );
  }

  /** A text's expressions; undefined if it has none. */
  #expression(text: string, known: readonly string[]): JinjaText | undefined {
    if (!text.includes("{{")) return undefined;
    if (STATEMENT.test(text)) {
      throw new RangeError("Takes expressions in {{ }}, neither statements nor comments");
    }
    const expression = this.#read(text);
    const unknown = expression.names.find((name) => !known.includes(name));
    if (unknown === undefined) return expression;
    const list = known.length === 0 ? "there is none" : `there are ${known.join(", ")}`;
    throw new RangeError(`Unknown variable "${unknown}" in {{ }}: ${list}`);
  }
}

/** A value with a function applied to each text in it; names of mappings stay. */
function eachText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((entry) => eachText(entry, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, eachText(entry, change)]),
  );
}

/** Numbers, so that one can calculate with them. */
function typed(value: unknown): unknown {
  return typeof value === "string" && NUMBER.test(value.trim()) ? Number(value) : value;
}
