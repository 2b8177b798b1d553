import { secretsOfHeaders } from "../../../core/secrets/secret_headers.ts";
import { redactedUrlText } from "../../../core/secrets/url_secrets.ts";
import { UsageError } from "../../options/usage_error.ts";
import type { ParsedMetricsUrl } from "./metrics_url.ts";
import { parseHeaders } from "./request_header.ts";
import { originOf, parseServerUrl } from "./target_url.ts";

const OPTION = "--server-metrics-header";
/** The equals sign between URL and header: one that a header name and a colon follow. */
const SEPARATOR = /=(?=[!#$%&'*+\-.^_`|~\w]+[ \t]*:)/g;

/**
 * Adds the headers of `--server-metrics-header` to the endpoints that they name.
 * @param entries `URL=Name: value`; a URL without a path names all endpoints of its server
 * @returns endpoints with headers; secrets include those of the headers
 * @throws {UsageError} if an entry is no header, or names no endpoint
 */
export function withMetricsHeaders(
  parsed: readonly ParsedMetricsUrl[],
  entries: readonly string[],
): ParsedMetricsUrl[] {
  const headers = parsed.map((): [string, string][] => []);
  for (const entry of entries) {
    const [named, text] = splitEntry(entry, parsed);
    for (const at of named) {
      headers[at]?.push(...parseHeaders([text], OPTION));
    }
  }
  return parsed.map((one, at) => withHeaders(one, headers[at] ?? []));
}

function withHeaders(
  { endpoint, secrets }: ParsedMetricsUrl,
  given: readonly [string, string][],
): ParsedMetricsUrl {
  if (given.length === 0) return { endpoint, secrets };
  const isKey = ([name]: readonly [string, string]) => name.toLowerCase() === "authorization";
  return {
    endpoint: {
      ...endpoint,
      authorization: given.find(isKey)?.[1] ?? endpoint.authorization,
      headers: given.filter((header) => !isKey(header)),
    },
    secrets: [...secrets, ...secretsOfHeaders(given)],
  };
}

/** Places of the endpoints that an entry names, and its header. */
function splitEntry(
  entry: string,
  parsed: readonly ParsedMetricsUrl[],
): [named: number[], header: string] {
  const cuts = [...entry.matchAll(SEPARATOR)].map(({ index }) => index);
  // A query may contain what looks like a header: the URL decides where it ends.
  for (const cut of cuts) {
    const named = placesOf(entry.slice(0, cut), parsed);
    if (named.length > 0) return [named, entry.slice(cut + 1)];
  }
  const [first] = cuts;
  if (first === undefined) {
    throw new UsageError(OPTION, 'Expected "URL=Name: value", such as http://h:1="X-Key: a"');
  }
  const known = parsed.map(({ endpoint }) => endpoint.redactedUrl).join(", ");
  const shown = redactedUrlText(entry.slice(0, first));
  throw new UsageError(
    OPTION,
    `No metrics endpoint has this URL: got "${shown}"; scraped are ${known || "none"}`,
  );
}

function placesOf(text: string, parsed: readonly ParsedMetricsUrl[]): number[] {
  let url: URL;
  try {
    url = parseServerUrl(text, OPTION);
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
  const { protocol, host } = originOf(url);
  const path = url.pathname + url.search;
  return parsed.flatMap(({ endpoint: { origin, path: own } }, at) =>
    origin.protocol === protocol && origin.host === host && (path === "/" || path === own)
      ? [at]
      : []
  );
}
