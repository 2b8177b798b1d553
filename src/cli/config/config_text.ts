import { stringify } from "npm:yaml@2.9.1";
import {
  defaultTextOf,
  flagOf,
  kebab,
  type OptionSpec,
  type OptionTable,
  specsOf,
} from "../../config/options/option.ts";
import { redactedOption } from "../../core/secrets/redacted_option.ts";

/** Column in which comments begin. */
const COMMENT_COLUMN = 40;

/**
 * A configuration file to start from: what most runs use, every line but the server's commented out,
 * with the default or an example as its value.
 */
export function configToStartFrom(table: OptionTable): string {
  const specs = specsOf(table).filter((spec) =>
    spec.common && spec.inFile !== false && spec.secret !== "value"
  );
  return `# Options of inferometer profile. Remove the "# " of the options to set.
# Flags and environment variables take precedence over this file. All options: inferometer profile --help all
# JSON Schema for editors: inferometer schema config.yaml
${byGroups(specs, startLines)}`;
}

/**
 * The options in force as a configuration file that sets the same: a comment says where each value
 * comes from. Defaults are commented out, and so is what must not be shown.
 * @param sources where values come from, by the options' names; defaults have none
 * @param withDefaults whether options are printed that nobody has set
 */
export function configInForce(
  table: OptionTable,
  values: Readonly<Record<string, unknown>>,
  sources: ReadonlyMap<string, string>,
  withDefaults = true,
): string {
  const specs = specsOf(table).filter(({ name, inFile, hidden, noEffect }) =>
    inFile !== false && !hidden && !noEffect && (withDefaults || sources.has(name))
  );
  return `# Options of inferometer profile, and where each comes from
${byGroups(specs, (spec) => [lineInForce(spec, values[spec.name], sources.get(spec.name))])}`;
}

function byGroups(
  specs: readonly OptionSpec[],
  linesOf: (spec: OptionSpec) => readonly string[],
): string {
  return [...Map.groupBy(specs, ({ group }) => group)].map(([group, specs]) =>
    `\n# ---- ${group}\n${specs.flatMap(linesOf).join("\n")}\n`
  ).join("");
}

function startLines(spec: OptionSpec): string[] {
  const defaultText = spec.default === undefined ? defaultTextOf(spec) : undefined;
  const value = spec.default ?? (spec.kind === "flag" ? true : exampleOf(spec));
  if (value === undefined) return [];
  const comment = `# ${spec.help}${defaultText === undefined ? "" : ` [default: ${defaultText}]`}`;
  const mark = spec.name === "url" ? "" : "# ";
  return ["", comment, `${mark}${kebab(spec.name)}: ${valueText(value)}`];
}

/** The value that an option has in its example. */
function exampleOf({ name, kind, example = "" }: OptionSpec): unknown {
  const words = [...example.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) =>
    word.replaceAll('"', "")
  );
  const start = words.indexOf(flagOf(name)) + 1;
  if (start === 0) return undefined;
  const end = words.findIndex((word, index) => index > start && word.startsWith("--"));
  const values = words.slice(start, end < 0 ? undefined : end);
  if (kind === "texts") return values;
  const number = kind === "text" ? NaN : Number(values[0]);
  return Number.isNaN(number) ? values[0] : number;
}

function lineInForce(spec: OptionSpec, value: unknown, source: string | undefined): string {
  const name = kebab(spec.name);
  if (source === undefined) {
    const shown = value === undefined ? `# ${name}:` : `# ${name}: ${valueText(value)}`;
    const text = value === undefined || spec.defaultText !== undefined ? defaultTextOf(spec) : "";
    const unset = value === undefined ? "not set" : "default";
    return commented(shown, text === "" || text === undefined ? unset : `default: ${text}`);
  }
  const shown = redacted(spec, value);
  const isSame = valueText(shown) === valueText(value);
  // A file's reader takes ${NAME} for a variable.
  const text = valueText(shown).replaceAll("${", () => "$${");
  return commented(`${isSame ? "" : "# "}${name}: ${text}`, source);
}

function redacted({ secret }: OptionSpec, value: unknown): unknown {
  if (secret === undefined) return value;
  return Array.isArray(value)
    ? value.map((entry) => redactedOption(secret, String(entry)))
    : redactedOption(secret, String(value));
}

function commented(line: string, comment: string): string {
  return `${line.padEnd(COMMENT_COLUMN - 1)} # ${comment}`;
}

/** On one line. */
function valueText(value: unknown): string {
  const [only] = Array.isArray(value) && value.length === 1 ? value : [value];
  const text = stringify(only, { collectionStyle: "flow", lineWidth: 0 }).trimEnd();
  return text.includes("\n") ? JSON.stringify(only) : text;
}
