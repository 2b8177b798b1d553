import { REDACTED } from "./redactor.ts";
import { isSecretName } from "./secret_names.ts";
import { looksSecret } from "./secret_values.ts";

/** A URL as it may be shown. */
export function redactedUrl(url: URL): string {
  return redactedUrlText(url.href);
}

/**
 * A text that is or looks like a URL, its scheme there or not, without the parts that carry a
 * secret: user and password, and parameters of the query or the fragment. Everything else stays as
 * it was written.
 */
export function redactedUrlText(text: string): string {
  const [, scheme = "", rest = text] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(text) ?? [];
  // Of a text that cannot be read as a URL, the password may end at any "@".
  const isUrl = URL.canParse((scheme || "http://") + rest);
  return scheme + rest.replace(isUrl ? /^[^/?#\\]*@/ : /^.*@/s, `${REDACTED}@`).replace(
    /([?&#]([^=&#]*)=)([^&#]*)/g,
    (pair, start, name, value) => isSecretParameter(name, value) ? start + REDACTED : pair,
  );
}

/**
 * The secrets in a URL: its password, or its user where there is no password, and parameters; as
 * they are, and as the URL writes them.
 */
export function secretsOfUrl(url: URL): string[] {
  const written = [url.password === "" ? url.username : url.password];
  for (const pair of [url.search, url.hash].flatMap((part) => part.slice(1).split("&"))) {
    const [name = "", ...rest] = pair.split("=");
    const value = rest.join("=");
    if (isSecretParameter(name, value)) written.push(value, value.replaceAll("+", " "));
  }
  const secrets = [...written, ...written.map(decoded)];
  const authorization = authorizationOf(url);
  if (authorization !== undefined) secrets.push(authorization.slice("Basic ".length));
  return secrets.filter((secret) => secret !== "");
}

function isSecretParameter(name: string, value: string): boolean {
  return isSecretName(decoded(name)) || looksSecret(decoded(value));
}

/** Returns the decoded part of a URL; the part itself if it is not well encoded. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The Authorization header that a URL with user and password stands for. */
export function authorizationOf(url: URL): string | undefined {
  if (url.username === "" && url.password === "") return undefined;
  const bytes = new TextEncoder().encode(
    `${decoded(url.username)}:${decoded(url.password)}`,
  );
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
