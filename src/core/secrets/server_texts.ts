import { REDACTED, type Redactor } from "./redactor.ts";
import { isSecretName } from "./secret_names.ts";
import { isServiceKey, keysIn } from "./secret_values.ts";
import { redactedUrlText } from "./url_secrets.ts";

/** Values that are random by nature but not secret. */
const PUBLIC_RANDOM =
  /(^|[._-])(sha|sha256|hash|digest|commit|revision|version|build|build_info|snapshot|uuid|model|models|id|path|root)($|[._-])/i;

/**
 * A text that a server gave under a name, without secrets: what the name says is one, keys of this
 * run, keys by their looks, credentials in URLs, and the values of options that carry one
 * (`--api-key ...`).
 * @param name path of the text in the reply, with dots
 */
export function redactedServerText(name: string, text: string, redact: Redactor): string {
  if (name.split(".").some((word) => isSecretName(word))) return REDACTED;
  const known = redact(text)
    .replace(
      /(--?([a-z][\w-]*)["']?[=,\s]+["']?)([^\s"',]+)/gi,
      (whole, option, word) => isSecretName(word) ? option + REDACTED : whole,
    )
    .replace(/[a-z][a-z0-9+.-]*:\/\/[^\s"',]+/gi, redactedUrlText);
  if (PUBLIC_RANDOM.test(name)) {
    return keysIn(known).filter(isServiceKey).reduce(
      (left, key) => left.replaceAll(key, REDACTED),
      known,
    );
  }
  return keysIn(known).filter((word) => !word.includes("/"))
    .reduce((left, key) => left.replaceAll(key, REDACTED), known);
}
