import { LAUNCH_OPTIONS } from "../options/commands/launch_options.ts";
import { kebab, type OptionSpec, specsOf, variablesOf } from "../options/option.ts";
import { PROFILE_COMMAND_OPTIONS } from "../options/commands/option_tables.ts";
import { redactedOption } from "../secrets/redacted_option.ts";

/** The command line of the shards. */
export interface LaunchWords {
  /** Its options, without what the launcher says itself. */
  readonly words: readonly string[];
  /** Variables in which secrets are to be handed on instead of standing there. */
  readonly secretVariables: readonly string[];
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
  const words: string[] = [];
  const secretVariables = new Set<string>();
  for (const option of writtenOptions(args, engine)) {
    const { spec } = option;
    if (spec === undefined || LAUNCH.includes(spec) || REPLACED.has(spec.name)) continue;
    const { secret } = spec;
    if (secret !== undefined && option.values.some((value) => isSecret(secret, value))) {
      secretVariables.add(variablesOf(spec)[0] as string);
    } else words.push(...option.words);
  }
  return { words, secretVariables: [...secretVariables] };
}

function isSecret(secret: NonNullable<OptionSpec["secret"]>, value: string): boolean {
  return redactedOption(secret, value) !== value;
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
