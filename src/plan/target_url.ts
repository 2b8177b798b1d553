import type { Origin } from "../http/transport.ts";
import { REDACTED } from "../sandbox/redactor.ts";
import type { Target } from "./run_plan.ts";
import { UsageError } from "./usage_error.ts";

/** A target before its name is looked up, and the secrets that its URL holds. */
export interface ParsedTarget {
  readonly target: Target;
  readonly secrets: readonly string[];
}

/** Query parameters that carry a secret. */
const SECRET_PARAMETER = /key|token|secret|sig|password|auth/i;

/**
 * Reads a server's URL and joins the endpoint's path to it.
 *
 * The scheme may be missing (`localhost:8000`); a path before the endpoint is kept, a query too;
 * `/v1` at its end is not doubled, and a URL that ends in the endpoint's path already stays as it is.
 * @throws {UsageError} if it is no http or https URL
 */
export function parseTarget(url: string, endpointPath: string): ParsedTarget {
  const parsed = parseServerUrl(url, "--url");
  const target: Target = {
    origin: originOf(parsed),
    path: joinPath(parsed.pathname, endpointPath) + parsed.search,
    shownUrl: shownUrl(parsed),
    authorization: authorizationOf(parsed),
  };
  return { target, secrets: secretsOf(parsed) };
}

/**
 * Parses a URL whose scheme may be missing.
 * @throws {UsageError} naming `option` if it is no http or https URL
 */
export function parseServerUrl(url: string, option: string): URL {
  const text = url.trim();
  let parsed: URL;
  try {
    parsed = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  } catch {
    throw new UsageError(option, `Not a URL: "${withoutSecrets(url)}"`);
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new UsageError(option, `Only http and https are supported: "${shownUrl(parsed)}"`);
  }
  if (/\s/.test(text) || parsed.hostname === "") {
    throw new UsageError(option, `Not a URL: "${withoutSecrets(url)}"`);
  }
  if (parsed.port === "0") {
    throw new UsageError(option, `Port must be from 1 to 65535: "${withoutSecrets(url)}"`);
  }
  return parsed;
}

/** The server of a URL; its addresses are not looked up yet. */
export function originOf(url: URL): Origin {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port,
    addresses: [],
    host: url.host,
  };
}

/** A URL without its secrets. */
export function shownUrl(url: URL): string {
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

function joinPath(base: string, endpointPath: string): string {
  const before = base.replace(/\/+$/, "");
  if (before.endsWith(endpointPath)) return before;
  if (before.endsWith("/v1") && endpointPath.startsWith("/v1/")) {
    return before + endpointPath.slice(3);
  }
  return before + endpointPath;
}
