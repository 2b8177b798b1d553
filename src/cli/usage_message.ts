import { meantFlag } from "../options/meant_option.ts";
import type { OptionTable } from "../options/option.ts";
import { UsageError } from "../options/usage_error.ts";
import { redactedUrlText } from "../secrets/url_secrets.ts";

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
  return `error: unknown option '${shown}'${isLetter ? meantFlag(shown, table) : meant}`;
}

/** What to say of a word where only options belong: most often it is a server without `--url`. */
export function unexpectedOperand(word: string, table: OptionTable): UsageError {
  const shown = redactedUrlText(word);
  const isServer = "url" in table &&
    /^(https?:\/\/|localhost\b|[\w.-]+:\d+|\[[\da-f:]+\])/i.test(word);
  return isServer
    ? new UsageError("--url", `A server is named with this option: --url ${shown}`)
    : new UsageError(undefined, `Unexpected argument "${shown}": options begin with --`);
}
