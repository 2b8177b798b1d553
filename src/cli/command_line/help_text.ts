import {
  defaultTextOf,
  flagOf,
  type OptionSpec,
  type OptionTable,
  placeholderOf,
  specsOf,
} from "../../config/options/option.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { wrapText } from "../../report/console/wrap_text.ts";

/** Column in which explanations begin. */
const INDENT = 31;
/** A command with more options shows those that most people need, unless it is asked for others. */
const SHOWN_AT_ONCE = 30;

/** What help is asked of. */
export interface HelpRequest {
  /** Command line without options: `inferometer profile`. */
  readonly usage: string;
  readonly description: string;
  /** A rule that no option is about. */
  readonly rule?: string | undefined;
  readonly table: OptionTable;
  /** What follows `--help`: `all`, the name of a group, or nothing. */
  readonly topic: string | undefined;
  readonly examples: readonly string[];
  /** Columns. */
  readonly width: number;
}

/**
 * The help of a command: its options, by groups where all of them are shown.
 * @throws {UsageError} if there is no group of that name
 */
export function helpText(request: HelpRequest): string {
  const { usage, description, rule, examples, topic, width } = request;
  const specs = specsOf(request.table).filter(({ hidden }) => !hidden);
  const isLong = specs.length > SHOWN_AT_ONCE;
  const parts = isLong && topic === undefined
    ? [...wrapText(moreText(specs), width), "", optionLines(specs.filter(isCommon), false, width)]
    : [groupsText(isLong ? topic : undefined, specs, width)];
  return [
    `Usage: ${usage}${specs.length === 0 ? "" : " [options]"}`,
    "",
    ...wrapText(description, width),
    "",
    ...parts,
    ...(rule === undefined ? [] : ["", ...wrapText(rule, width)]),
    ...(isLong ? ["", ...wrapText(SOURCES, width)] : []),
    ...(examples.length === 0 ? [] : ["", "Examples:", ...examples.map((line) => `  ${line}`)]),
    "",
  ].join("\n");
}

const SOURCES =
  "Every option can also be set by a variable (--max-error-rate as INFEROMETER_MAX_ERROR_RATE) " +
  "or in the --config file (max-error-rate: 0.01). A flag overrides a variable, a variable " +
  "overrides the file.";

function isCommon({ common }: OptionSpec): boolean {
  return common === true;
}

function moreText(specs: readonly OptionSpec[]): string {
  const names = [...groupsOf(specs).keys()].map(topicOf);
  return `The most common options; --help all lists every option, --help GROUP one group: ${
    names.join(", ")
  }.`;
}

function groupsOf(specs: readonly OptionSpec[]): Map<string, OptionSpec[]> {
  return Map.groupBy(specs, ({ group }) => group);
}

/** `Server metrics` as `server-metrics`. */
function topicOf(group: string): string {
  return group.toLowerCase().replaceAll(" ", "-");
}

function groupsText(
  topic: string | undefined,
  specs: readonly OptionSpec[],
  width: number,
): string {
  const groups = [...groupsOf(specs)];
  const word = topic?.toLowerCase().replaceAll("_", "-") ?? "all";
  const exact = groups.filter(([group]) => topicOf(group) === word);
  const asked = word === "all"
    ? groups
    : exact.length > 0
    ? exact
    : groups.filter(([group]) => topicOf(group).startsWith(word));
  if (asked.length === 0 && groups.length > 0) {
    const names = ["all", ...groups.map(([group]) => topicOf(group))];
    throw new UsageError("--help", `There is no group "${topic}": there are ${names.join(", ")}`);
  }
  return [
    ...asked.map(([group, specs]) => `${group}:\n${optionLines(specs, true, width)}\n`),
    HELP_LINE,
  ].join("\n");
}

const HELP_LINE = `  -h, --help${" ".repeat(INDENT - 12)}Print this help`;

function optionLines(specs: readonly OptionSpec[], detailed: boolean, width: number): string {
  return specs.flatMap((spec) => {
    const { name, short, help, example } = spec;
    const term = `  ${short === undefined ? "    " : `-${short}, `}${flagOf(name)} ${
      placeholderOf(spec)
    }`.trimEnd();
    const texts = wrapText(`${help}${details(spec)}`, width - INDENT);
    if (detailed && example !== undefined) {
      texts.push(...wrapText(`e.g. ${example}`, width - INDENT));
    }
    const [first = "", ...rest] = texts;
    const indent = " ".repeat(INDENT);
    return term.length <= INDENT - 2
      ? [term.padEnd(INDENT) + first, ...rest.map((line) => indent + line)]
      : [term, ...texts.map((line) => indent + line)];
  }).join("\n");
}

function details(spec: OptionSpec): string {
  const defaultText = defaultTextOf(spec);
  const facts = [
    ...(spec.choices === undefined ? [] : [spec.choices.join(", ")]),
    ...(defaultText === undefined ? [] : [`default: ${defaultText}`]),
  ];
  return facts.length === 0 ? "" : ` [${facts.join("; ")}]`;
}
