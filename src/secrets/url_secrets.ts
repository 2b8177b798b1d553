import { REDACTED } from "./redactor.ts";

/** Query parameters that carry a secret. */
const SECRET_PARAMETER = /key|token|secret|sig|password|auth/i;

/** A URL without its secrets. */
export function redactedUrl(url: URL): string {
  const shown = new URL(url.href);
  if (shown.username !== "") shown.username = "redacted";
  if (shown.password !== "") shown.password = "redacted";
  for (const name of [...shown.searchParams.keys()]) {
    if (SECRET_PARAMETER.test(name)) shown.searchParams.set(name, REDACTED);
  }
  return shown.href.replace("redacted:redacted@", `${REDACTED}@`).replace(
    "redacted@",
    `${REDACTED}@`,
  );
}

/**
 * A text that is or looks like a URL, its scheme there or not, without the parts that carry a
 * secret; everything else as it was written.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^?#]*@/i, `$1${REDACTED}@`)
    .replace(/^[^/?#@]*:[^?#@]*@/, `${REDACTED}@`)
    .replace(
      /([?&]([^=&#]*)=)[^&#]*/g,
      (pair, name, bareName) => SECRET_PARAMETER.test(bareName) ? `${name}${REDACTED}` : pair,
    );
}

/**
 * The secrets in a URL: its password, and query parameters that carry one by their names; as they
 * are, and as the URL writes them.
 */
export function secretsOf(url: URL): string[] {
  const secrets: string[] = [];
  for (const pair of url.search.slice(1).split("&")) {
    const [name = "", ...value] = pair.split("=");
    if (!SECRET_PARAMETER.test(decoded(name))) continue;
    secrets.push(value.join("="), decoded(value.join("=").replaceAll("+", " ")));
  }
  if (url.password !== "") secrets.push(url.password, decoded(url.password));
  const authorization = authorizationOf(url);
  if (authorization !== undefined) secrets.push(authorization.slice("Basic ".length));
  return secrets;
}

/** What a part of a URL stands for; the part itself if it is not well encoded. */
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
