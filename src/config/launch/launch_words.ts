import { LAUNCH_OPTIONS } from "../options/commands/launch_options.ts";
import { kebab, type OptionSpec, specsOf, variablesOf } from "../options/option.ts";
import { PROFILE_COMMAND_OPTIONS } from "../options/commands/option_tables.ts";
import { redactedOption } from "../../core/secrets/redacted_option.ts";

/** The command line of the shards. */
export interface LaunchWords {
  /** Options of the run, without those that the launcher sets itself. */
  readonly words: readonly string[];
  /**
   * Variables that pass on options with secrets instead of the command line, with all of their
   * values.
   */
  readonly secretVariables: readonly string[];
  /** Variables that hold several values, one per line. */
  readonly listVariables: readonly string[];
}

/** Options of a run of which the script has its own version. */
const REPLACED = new Set(["artifactDir", "randomSeed"]);
const LAUNCH = specsOf(LAUNCH_OPTIONS);
const RUN = specsOf(PROFILE_COMMAND_OPTIONS);

/** An option as it was written, with its values. */
interface Written {
  readonly spec: OptionSpec | undefined;
  readonly words: string[];
  readonly values: string[];
}

/**
 * The options of the run among all arguments, as they were written.
 * @param engine the operand, which stands among them
 */
export function launchWords(args: readonly string[], engine: string): LaunchWords {
  const written = writtenOptions(args, engine);
  // What stands on a command line takes the place of the whole variable: an option that has one
  // secret among its values is handed on with all of them.
  const secret = new Set(written.filter(hasSecret).map(({ spec }) => spec));
  const words = written.flatMap(({ spec, words }) =>
    spec === undefined || LAUNCH.includes(spec) || REPLACED.has(spec.name) || secret.has(spec)
      ? []
      : words
  );
  const variables = [...secret].flatMap((spec) =>
    spec === undefined ? [] : {
      name: variablesOf(spec)[0] as string,
      values: written.filter((option) => option.spec === spec).flatMap(({ values }) => values),
    }
  );
  return {
    words,
    secretVariables: variables.map(({ name }) => name),
    listVariables: variables.filter(({ values }) => values.length > 1).map(({ name }) => name),
  };
}

function hasSecret({ spec, values }: Written): boolean {
  const secret = spec?.secret;
  return secret !== undefined && values.some((value) => redactedOption(secret, value) !== value);
}

function writtenOptions(args: readonly string[], engine: string): Written[] {
  const found: Written[] = [];
  let left = 0;
  let isOperandSeen = false;
  for (const word of args) {
    const last = found.at(-1);
    const match = left > 0 && last?.values.length === 0
      ? null
      : /^(--[a-zA-Z][\w-]*|-[a-zA-Z])(=?)(.*)$/s.exec(word);
    if (match !== null) {
      const [, flag = "", equals = "", text = ""] = match;
      const spec = specOf(flag);
      const hasValue = equals === "=" || text !== "";
      found.push({ spec, words: [word], values: hasValue ? [text] : [] });
      left = hasValue || spec === undefined || spec.kind === "flag"
        ? 0
        : spec.kind === "texts"
        ? Infinity
        : 1;
    } else if (left > 0 && last !== undefined) {
      last.words.push(word);
      last.values.push(word);
      left--;
    } else if (!isOperandSeen && word === engine) isOperandSeen = true;
  }
  return found;
}

function specOf(flag: string): OptionSpec | undefined {
  const name = flag.replace(/^--?/, "").replaceAll("_", "-");
  return [...LAUNCH, ...RUN].find((spec) =>
    flag.startsWith("--")
      ? kebab(spec.name) === name || spec.aliases?.includes(name)
      : spec.short === name
  );
}
