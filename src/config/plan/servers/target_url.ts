import type { Origin } from "../../../client/http/transport.ts";
import {
  authorizationOf,
  redactedUrl,
  redactedUrlText,
  secretsOfUrl,
} from "../../../core/secrets/url_secrets.ts";
import type { Target } from "../run_plan.ts";
import { isHostName } from "../../options/host_name.ts";
import { UsageError } from "../../options/usage_error.ts";

/** A target before its name is looked up, and the secrets that its URL holds. */
export interface ParsedTarget {
  readonly target: Target;
  readonly secrets: readonly string[];
}

/**
 * Reads a server's URL and joins the endpoint's path to it.
 *
 * The scheme may be missing (`localhost:8000`); a path before the endpoint is kept, a query too;
 * `/v1` at its end is not doubled, and a URL that ends in the endpoint's path already stays as it is.
 * @param wholePath returns the path to send to if a URL's path ends in an endpoint's path
 * @throws {UsageError} if it is no http or https URL
 */
export function parseTarget(
  url: string,
  endpointPath: string,
  wholePath: (pathname: string) => string | undefined = () => undefined,
): ParsedTarget {
  const parsed = parseServerUrl(url, "--url");
  const { pathname } = parsed;
  const joined = wholePath(pathname)?.replace(/\/+$/, "") ?? joinPath(pathname, endpointPath);
  const path = joined + parsed.search;
  const target: Target = {
    origin: originOf(parsed),
    path,
    redactedUrl: redactedUrl(parsed),
    authorization: authorizationOf(parsed),
  };
  return {
    target,
    secrets: [...secretsOfUrl(parsed), ...secretsOfUrl(new URL(`http://host${path}`))],
  };
}

/** URLs with commas between; a comma in a query separates only before another scheme. */
export function splitUrls(text: string): string[] {
  return text.split(/,(?=\s*https?:\/\/)/i).flatMap((part) => part.split(/(?<!\?.*),/));
}

/**
 * Returns the path of `--custom-endpoint` as sent: characters that are not allowed in a path are
 * percent-encoded, encoded ones stay.
 * @throws {UsageError} if it is not a path
 */
export function endpointPath(text: string, option = "--custom-endpoint"): string {
  if (/\p{Cc}/u.test(text)) {
    throw new UsageError(option, "Must not have control characters");
  }
  if (!text.startsWith("/")) {
    const shown = redactedUrlText(text);
    throw new UsageError(option, `Must begin with "/": got "${shown}"`);
  }
  return encodeURI(text.toWellFormed()).replaceAll("#", "%23")
    .replace(/%25(?=[0-9a-f]{2})/gi, "%");
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
    throw new UsageError(option, `Not a URL: "${redactedUrlText(url)}"`);
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new UsageError(option, `Only http and https are supported: "${redactedUrl(parsed)}"`);
  }
  if (/\s/.test(text) || parsed.hostname === "") {
    throw new UsageError(option, `Not a URL: "${redactedUrlText(url)}"`);
  }
  const host = parsed.hostname.replace(/^\[|\]$/g, "");
  if (!isHostName(host)) {
    throw new UsageError(
      option,
      `The host "${host}" is no host name: use letters, digits, ".", "-" and "_"`,
    );
  }
  if (parsed.port === "0") {
    throw new UsageError(option, `Port must be from 1 to 65535: "${redactedUrlText(url)}"`);
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

function joinPath(base: string, endpointPath: string): string {
  const before = base.replace(/\/+$/, "");
  if (endpointPath === "") return base === "" ? "/" : base;
  if (before.endsWith(endpointPath)) return before;
  if (before.endsWith("/v1") && endpointPath.startsWith("/v1/")) {
    return before + endpointPath.slice(3);
  }
  return before + endpointPath;
}
