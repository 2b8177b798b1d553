import { meantFlag } from "../../config/options/meant_option.ts";
import { flagOf, type OptionTable } from "../../config/options/option.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { redactedUrlText } from "../../core/secrets/url_secrets.ts";

/**
 * A message of commander in one line. It names the option that was meant, and never the value of
 * one that is not known: that may be a secret.
 */
export function usageMessage(text: string, table: OptionTable): string {
  const [, word] = /^error: unknown option '(-[\w-]*)/.exec(text) ?? [];
  if (word === undefined) return text.trimEnd().replace(/\n\((Did you mean [^)]*)\)/, " ($1)");
  const meant = meantFlag(word, table);
  // Where no such name is long, a value follows the letter.
  const isLetter = !word.startsWith("--") && meant === "";
  const shown = isLetter ? word.slice(0, 2) : word;
  const hint = isLetter ? meantFlag(shown, table) : meant;
  return `error: unknown option '${shown}'${hint || " (--help lists the options)"}`;
}

/**
 * What to say of a word where only options belong: most often it is a server without `--url`.
 * @param given names of the options beside it, of which one that is refused matters more
 */
export function unexpectedOperand(
  word: string,
  table: OptionTable,
  given: readonly string[],
): UsageError {
  const refused = given.find((name) => table[name]?.refused !== undefined);
  if (refused !== undefined) return new UsageError(flagOf(refused), table[refused]?.refused ?? "");
  const shown = redactedUrlText(word);
  const isServer = "url" in table &&
    /^(https?:\/\/|localhost\b|[\w.-]+:\d+|\[[\da-f:]+\])/i.test(word);
  if (isServer) {
    return new UsageError("--url", `A server is named with this option: --url ${shown}`);
  }
  if ("model" in table && /^[A-Z][\w.-]*\/[\w.-]+$/i.test(word)) {
    return new UsageError("--model", `A model is named with this option: --model ${shown}`);
  }
  return new UsageError(undefined, `Unexpected argument "${shown}": options begin with --`);
}
