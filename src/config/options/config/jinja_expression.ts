import { Template } from "npm:@huggingface/jinja@0.5.11";

/** Names that the language itself defines. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  ...["range", "true", "false", "none", "True", "False", "None"],
]);

/** A text with expressions in `{{ }}`, read once. */
export interface JinjaText {
  /** The variables that it asks for, each once. */
  readonly names: readonly string[];
  /** @throws {Error} if a value does not fit */
  render(variables: Readonly<Record<string, unknown>>): string;
}

/**
 * Reads a text with expressions.
 * @throws {Error} if it is not one
 */
export function jinjaText(text: string): JinjaText {
  const template = new Template(text);
  const names = new Set<string>();
  collectNames(template.parsed, names);
  return {
    names: [...names],
    render: (variables) => template.render({ ...variables }),
  };
}

/**
 * Collects the names in an expression. The library evaluates a missing name as empty, so names are
 * checked before.
 */
function collectNames(node: unknown, names: Set<string>): void {
  if (Array.isArray(node) || node instanceof Map) {
    for (const part of node) collectNames(part, names);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const { type, value, object, property, computed, operand, filter, callee, args } = node as Record<
    string,
    unknown
  >;
  switch (type) {
    case "Identifier":
      if (!OWN_NAMES.has(String(value))) names.add(String(value));
      return;
    case "MemberExpression":
      collectNames(computed === true ? [object, property] : object, names);
      return;
    case "FilterExpression":
      // Its name is no variable, what it is given may be.
      collectNames([operand, (filter as { args?: unknown }).args], names);
      return;
    case "TestExpression":
      collectNames(operand, names);
      return;
    case "CallExpression":
      collectNames([callee, args], names);
      return;
    case "KeywordArgumentExpression":
      collectNames(value, names);
      return;
    default:
      for (const [key, part] of Object.entries(node)) {
        // The word "not" is held as a name.
        if (key !== "operator") collectNames(part, names);
      }
  }
}
