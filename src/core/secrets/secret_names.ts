/**
 * The one list of names that carry secrets: of headers, URL parameters, extra inputs, options and
 * keys of configuration files alike.
 *
 * A name is read as its words: `X-Api-Key`, `x_api_key` and `xApiKey` have the same three. Some
 * words carry a secret wherever they stand, some only at the end of a name, and there not behind
 * every other word: `access_token` is a secret, `eos_token`, `token_count` and `max_tokens` belong
 * to language models.
 */

/** Words that carry a secret wherever they stand. */
const SECRET_WORDS = new Set([
  ...["auth", "authentication", "authorization", "bearer", "cookie", "cookies", "cred", "creds"],
  ...["credential", "credentials", "csrf", "hmac", "jwt", "oauth", "otp", "passcode", "passphrase"],
  ...["passwd", "password", "passwords", "pat", "psk", "pwd", "saml", "sas", "secret", "secrets"],
  ...["sig", "signature", "totp", "xsrf"],
]);

/** Words that carry a secret at the end of a name. */
const SECRET_ENDINGS = new Set(["key", "keys", "pass", "sign", "token"]);

/** Words behind which such an ending carries none. */
const HARMLESS_BEFORE_ENDING = new Set([
  ...["cache", "foreign", "hash", "idempotency", "partition", "primary", "public", "routing"],
  ...["shard", "sort"],
  ...["audio", "begin", "bos", "by", "cls", "completion", "each", "end", "eos", "first", "image"],
  ...["input", "inter", "last", "mask", "max", "min", "new", "next", "num", "of", "output", "pad"],
  ...["per", "prompt", "reasoning", "sep", "special", "start", "stop", "think", "thinking"],
  ...["tool", "unk"],
  ...["backward", "forward", "multi", "single", "two"],
]);

/** Words that may follow the ending and mean nothing. */
const EMPTY_ENDINGS = new Set(["b", "base", "header", "string", "text", "value"]);

/** Words written together, in names without separators or capitals. */
const RUN_TOGETHER = new RegExp(
  "passw(?:or)?d|passphrase|secret|credential|authori[sz]ation|cookie|" +
    "(?:access|account|api|app|auth|client|encryption|hub|license|master|private|service|session|" +
    "shared|sign|signing|ssh|subscription|user)(?:key|pass|pwd)|" +
    "(?:access|api|auth|bearer|client|hub|refresh|security|service|session)token" +
    "(?!s|iz|count|id|limit)",
);

/** Whether a value with this name is a secret. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  if (words.some((word) => SECRET_WORDS.has(word)) || RUN_TOGETHER.test(words.join(""))) {
    return true;
  }
  const end = words.findLastIndex((word) => !EMPTY_ENDINGS.has(word));
  return SECRET_ENDINGS.has(words[end] ?? "") && !HARMLESS_BEFORE_ENDING.has(words[end - 1] ?? "");
}

/** The words of a name in lower case without digits at their ends, apart at separators and capitals. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/\d*(?:[^a-z0-9]+|$)/)
    .filter((word) => word !== "");
}
