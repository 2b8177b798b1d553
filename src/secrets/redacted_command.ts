import { SECRET_FLAGS } from "../options/option_tables.ts";
import { withoutSecrets } from "./url_secrets.ts";
import { REDACTED, redactor } from "./redactor.ts";

/** Headers on the command line that carry a secret. */
const SECRET_HEADER = /^([^:]*(authorization|api-?key|token|secret|cookie|password)[^:]*:).*/is;

/** The command line as it may be shown: quoted where needed, secrets replaced. */
export function redactedCommand(args: readonly string[], secrets: readonly string[] = []): string {
  const redact = redactor(secrets);
  const words = args.map((argument, index) => {
    if (SECRET_FLAGS.has(args[index - 1] ?? "")) return REDACTED;
    const [flag, value] = argument.split("=", 2);
    if (value !== undefined && SECRET_FLAGS.has(flag as string)) return `${flag}=${REDACTED}`;
    const header = SECRET_HEADER.exec(argument.replace(/^--header=/, ""));
    if (header !== null && !/^[a-z]+:\/\//i.test(argument)) {
      return quoted(`${header[1]} ${REDACTED}`);
    }
    const [, option = "", text = argument] = /^(--[a-z-]+=)(.*)$/s.exec(argument) ?? [];
    return quoted(redact(option + withoutSecrets(text)));
  });
  return ["inferometer", ...words].join(" ");
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
