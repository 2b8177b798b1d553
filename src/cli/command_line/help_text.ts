import {
  defaultTextOf,
  flagOf,
  type OptionSpec,
  type OptionTable,
  placeholderOf,
  specsOf,
} from "../../config/options/option.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { HELP_TASKS, type HelpTask } from "./help_tasks.ts";
import { wrapText } from "../../report/console/wrap_text.ts";

/** Column in which explanations begin. */
const INDENT = 31;
/** A command with more options lists only the most used ones, unless a topic is given. */
const SHOWN_AT_ONCE = 30;

/** Parts of a command's help. */
export interface HelpRequest {
  /** Command line without options: `inferometer profile`. */
  readonly usage: string;
  readonly description: string;
  /** Rule that belongs to no option. */
  readonly rule?: string | undefined;
  /** Rule that only `--help all` shows. */
  readonly details?: string | undefined;
  readonly table: OptionTable;
  /** Word after `--help`: `all`, a task, a group of options, or undefined. */
  readonly topic: string | undefined;
  readonly examples: readonly string[];
  /** Columns. */
  readonly width: number;
}

/**
 * Returns the help of a command. With many options it lists the most used ones on one screen, and
 * every option by task and group for the topic `all`.
 * @throws {UsageError} if the topic is unknown
 */
export function helpText(request: HelpRequest): string {
  const { usage, description, rule, details, examples, topic, width } = request;
  const specs = specsOf(request.table).filter(({ hidden }) => !hidden);
  const isLong = specs.length > SHOWN_AT_ONCE;
  const isBrief = isLong && topic === undefined;
  const rules = isBrief ? [rule] : isLong ? [rule, details, SOURCES] : [rule, details];
  return [
    `Usage: ${usage}${specs.length === 0 ? "" : " [options]"}`,
    "",
    ...wrapText(description, width),
    "",
    ...(isBrief
      ? [
        briefLines(specs, width),
        "",
        ...moreLines(specs, width),
      ]
      : [isLong ? topicText(topic ?? "all", specs, width) : groupsText(specs, width)]),
    ...rules.flatMap((text) => text === undefined ? [] : ["", ...wrapText(text, width)]),
    ...(examples.length === 0 ? [] : ["", "Examples:", ...examples.map((line) => `  ${line}`)]),
    "",
  ].join("\n");
}

const SOURCES =
  "Every option can also be set by a variable (--max-error-rate as INFEROMETER_MAX_ERROR_RATE) " +
  "or in the --config file (max-error-rate: 0.01). A flag overrides a variable, a variable " +
  "overrides the file.";

function moreLines(specs: readonly OptionSpec[], width: number): string[] {
  const topics = tasksOf(specs).map(({ topic }) => topic).join(", ");
  return wrapText(
    `All ${specs.length} options by task: --help all. One task: --help TASK (${topics})`,
    width,
  );
}

function groupsOf(specs: readonly OptionSpec[]): Map<string, OptionSpec[]> {
  return Map.groupBy(specs, ({ group }) => group);
}

/** Tasks that a command has options for. */
function tasksOf(specs: readonly OptionSpec[]): HelpTask[] {
  const groups = groupsOf(specs);
  return HELP_TASKS.filter((task) => task.groups.some((group) => groups.has(group)));
}

/** Returns the topic of a group of options: `server-metrics` for `Server metrics`. */
export function topicOf(group: string): string {
  return group.toLowerCase().replaceAll(" ", "-");
}

/** The options of a topic: `all`, a task, or a group, which may be abbreviated. */
function topicText(topic: string, specs: readonly OptionSpec[], width: number): string {
  const word = topic.toLowerCase().replaceAll("_", "-");
  const tasks = tasksOf(specs);
  const groups = [...groupsOf(specs).keys()];
  if (word === "all") {
    const withTask = new Set(HELP_TASKS.flatMap((task) => task.groups));
    const others = specs.filter(({ group }) => !withTask.has(group));
    return [
      ...(others.length === 0 ? [] : [groupLines(others, width)]),
      ...tasks.map((task) => taskLines(task, specs, width)),
      HELP_LINE,
    ].join("\n");
  }
  const task = tasks.find(({ topic }) => topic === word);
  const exact = groups.filter((group) => topicOf(group) === word);
  const named = exact.length > 0
    ? exact
    : groups.filter((group) => topicOf(group).startsWith(word));
  if (exact.length === 0 && task !== undefined) {
    return `${taskLines(task, specs, width)}\n${HELP_LINE}`;
  }
  if (named.length > 0) {
    return groupsText(specs.filter(({ group }) => named.includes(group)), width);
  }
  const known = ["all", ...tasks.map(({ topic }) => topic), ...groups.map(topicOf)];
  throw new UsageError("--help", `Unknown topic: got "${topic}"; use one of ${known.join(", ")}`);
}

function taskLines(task: HelpTask, specs: readonly OptionSpec[], width: number): string {
  const { title, topic, groups } = task;
  return `== ${title} (--help ${topic})\n\n${
    groupLines(specs.filter(({ group }) => groups.includes(group)), width)
  }`;
}

function groupsText(specs: readonly OptionSpec[], width: number): string {
  return specs.length === 0 ? HELP_LINE : `${groupLines(specs, width)}\n${HELP_LINE}`;
}

function groupLines(specs: readonly OptionSpec[], width: number): string {
  return [...groupsOf(specs)].map(([group, specs]) => `${group}:\n${optionLines(specs, width)}\n`)
    .join("\n");
}

const HELP_LINE = `  -h, --help${" ".repeat(INDENT - 12)}Print this help`;

/** The options that have a brief text, one line each. */
function briefLines(specs: readonly OptionSpec[], width: number): string {
  return specs.flatMap((spec) => {
    const { brief, default: value } = spec;
    if (brief === undefined) return [];
    const text = value === undefined ? brief : `${brief} [default: ${value}]`;
    return linesOf(spec, wrapText(text, width - INDENT));
  }).join("\n");
}

function optionLines(specs: readonly OptionSpec[], width: number): string {
  return specs.flatMap((spec) => {
    const { help, example } = spec;
    const texts = wrapText(`${help}${details(spec)}`, width - INDENT);
    if (example !== undefined) texts.push(...wrapText(`e.g. ${example}`, width - INDENT));
    return linesOf(spec, texts);
  }).join("\n");
}

/** An option with its texts in the second column. */
function linesOf(spec: OptionSpec, texts: readonly string[]): string[] {
  const { name, short } = spec;
  const term = `  ${short === undefined ? "    " : `-${short}, `}${flagOf(name)} ${
    placeholderOf(spec)
  }`.trimEnd();
  const [first = "", ...rest] = texts;
  const indent = " ".repeat(INDENT);
  return term.length <= INDENT - 2
    ? [term.padEnd(INDENT) + first, ...rest.map((line) => indent + line)]
    : [term, ...texts.map((line) => indent + line)];
}

function details(spec: OptionSpec): string {
  const defaultText = defaultTextOf(spec);
  const facts = [
    ...(spec.choices === undefined ? [] : [spec.choices.join(", ")]),
    ...(defaultText === undefined ? [] : [`default: ${defaultText}`]),
  ];
  return facts.length === 0 ? "" : ` [${facts.join("; ")}]`;
}
