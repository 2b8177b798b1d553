import type { MetricsEndpoint } from "../../../telemetry/scrape/metrics_endpoint.ts";
import { PLACES } from "../../../telemetry/engines/place.ts";
import { UsageError } from "../../options/usage_error.ts";
import { knownEnding } from "./full_url.ts";
import { originOf, parseServerUrl } from "./target_url.ts";
import { authorizationOf, redactedUrl, secretsOfUrl } from "../../../core/secrets/url_secrets.ts";

/** An endpoint before its name is looked up, and the secrets that its URL holds. */
export interface ParsedMetricsUrl {
  readonly endpoint: MetricsEndpoint;
  readonly secrets: readonly string[];
}

/**
 * Returns the metrics endpoint of an inference server: its URL without `/v1` at the end, and
 * `/metrics`.
 * @param isWhole whether requests go to the URL unchanged, so that its last part belongs to their
 * path
 * @throws {UsageError} if it is not an http or https URL
 */
export function metricsOfServer(url: string, isWhole = false): ParsedMetricsUrl {
  const parsed = parseServerUrl(url, "--url");
  const whole = parsed.pathname.replace(/\/+$/, "");
  const ending = isWhole ? undefined : knownEnding(whole);
  const path = whole.slice(0, whole.length - (ending?.path.length ?? 0))
    .replace(/\/v1(\/.*)?$/, "");
  const base = isWhole && !path.endsWith("/metrics") ? path.replace(/\/[^/]*$/, "") : path;
  parsed.pathname = base.endsWith("/metrics") ? base : `${base}/metrics`;
  return parsedUrl(parsed, false);
}

const PLACED = new RegExp(`^\\s*(${PLACES.join("|")})=(?=\\S)`, "i");

/**
 * An endpoint whose server may be stated in front of it: `prefill=URL`, `front=URL`.
 * @param option the option that the text came from
 * @throws {UsageError} if it has no http or https URL
 */
export function placedMetricsUrl(text: string, option: string): ParsedMetricsUrl {
  const [prefix = "", word = ""] = PLACED.exec(text) ?? [];
  const parsed = namedMetricsUrl(text.slice(prefix.length), option);
  const place = PLACES.find((place) => place === word.toLowerCase());
  return place === undefined ? parsed : { ...parsed, endpoint: { ...parsed.endpoint, place } };
}

/**
 * An endpoint that the user named: where no path is given, it is `/metrics`; any other path stays
 * as it is, the query too.
 * @param option the option that the URL came from
 * @throws {UsageError} if it is no http or https URL
 */
export function namedMetricsUrl(url: string, option: string): ParsedMetricsUrl {
  if (/^(true|false|none|off|on)$/i.test(url.trim())) {
    throw new UsageError(option, `Not a URL: "${url}"; to switch off: --no-server-metrics`);
  }
  const parsed = parseServerUrl(url, option);
  if (parsed.pathname === "" || parsed.pathname === "/") parsed.pathname = "/metrics";
  return parsedUrl(parsed, true);
}

function parsedUrl(url: URL, named: boolean): ParsedMetricsUrl {
  url.hash = "";
  return {
    endpoint: {
      origin: originOf(url),
      path: url.pathname + url.search,
      redactedUrl: redactedUrl(url),
      authorization: authorizationOf(url),
      named,
    },
    secrets: secretsOfUrl(url),
  };
}
