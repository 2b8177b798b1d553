import { REDACTED } from "./redactor.ts";
import { isSecretName } from "./secret_names.ts";
import { keysIn, looksSecret } from "./secret_values.ts";

/** A header as it is sent. */
type Header = readonly [name: string, value: string];

/** Headers that name a request, a format or a program, however random their values look. */
const PUBLIC_HEADER =
  /^(?:accept(?:-.*)?|content-.*|user-agent|traceparent|tracestate|(?:x-)?(?:request|correlation|trace)-?id)$/i;

/**
 * Whether a header is a secret: by its name, or by a value that looks like a key. Identifiers of
 * requests are not secrets; those of sessions and users may be treated as secrets.
 */
export function isSecretHeader(name: string, value: string): boolean {
  return !PUBLIC_HEADER.test(name) && (isSecretName(name) || looksSecret(value));
}

/** The headers as files show them. */
export function redactedHeaders(headers: readonly Header[]): Header[] {
  return headers.map(([name, value]) => [name, isSecretHeader(name, value) ? REDACTED : value]);
}

/**
 * The texts that must not be repeated of headers: the whole value, what follows the scheme, user and
 * password of Basic, the values of cookies, and keys among other words.
 */
export function secretsOfHeaders(headers: readonly Header[]): string[] {
  return headers.filter(([name, value]) => isSecretHeader(name, value)).flatMap(([name, value]) => {
    if (/^cookie$/i.test(name)) {
      return [value, ...value.split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim())];
    }
    const credentials = value.replace(/^[A-Za-z][\w-]*\s+/, "");
    const basic = /^basic\s/i.test(value) ? userAndPassword(credentials) : [];
    return [value, credentials, ...basic, ...keysIn(value)];
  });
}

function userAndPassword(base64: string): string[] {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const text = new TextDecoder().decode(bytes);
    return [text, text.slice(text.indexOf(":") + 1)];
  } catch {
    return [];
  }
}
