import { redactedOption } from "../../core/secrets/redacted_option.ts";
import { REDACTED } from "../../core/secrets/redactor.ts";
import { kebab, type OptionSpec, type OptionTable, specsOf } from "./option.ts";

/**
 * The command line as it may be shown: quoted where a shell needs it, secrets replaced. It is read
 * by its options: only values of those that may hold a secret are looked into.
 */
export function redactedCommand(args: readonly string[], table: OptionTable): string {
  const specs = specsOf(table);
  let option: OptionSpec | undefined;
  /** Whether the option's first value, which may begin with a dash, is still to come. */
  let isFirst = false;
  const words = args.map((word) => {
    const match = isFirst ? null : /^(--[a-zA-Z][\w-]*=?|-[a-zA-Z])(.*)$/s.exec(word);
    if (match === null) {
      const shown = redacted(word, option);
      isFirst = false;
      if (option !== undefined && option.kind !== "texts") option = undefined;
      return shown;
    }
    const [, flag = "", value = ""] = match;
    option = specOf(flag, specs);
    isFirst = value === "" && !flag.endsWith("=") && option !== undefined && option.kind !== "flag";
    if (value === "") return quoted(word);
    const shown = redacted(value, option);
    return shown === quoted(value) ? quoted(word) : flag + shown;
  });
  return ["inferometer", ...words].join(" ");
}

function redacted(value: string, option: OptionSpec | undefined): string {
  if (option?.secret === undefined) return quoted(value);
  const shown = redactedOption(option.secret, value);
  return shown === REDACTED ? shown : quoted(shown);
}

/** The option of `--name`, `--alias`, `--name=` or `-n`. */
function specOf(flag: string, specs: readonly OptionSpec[]): OptionSpec | undefined {
  const name = flag.replace(/^--?|=$/g, "").replaceAll("_", "-");
  return specs.find((spec) =>
    flag.startsWith("--")
      ? kebab(spec.name) === name || spec.aliases?.includes(name)
      : spec.short === name
  );
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
