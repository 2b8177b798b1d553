import type { Origin } from "../../client/http/transport.ts";
import type { Place } from "../engines/place.ts";
import { OTHER_PATHS, USUAL_PATH } from "../engines/engines.ts";

/** An endpoint at which a server exposes its metrics. */
export interface MetricsEndpoint {
  readonly origin: Origin;
  /** Path and query. */
  readonly path: string;
  /** The URL as it may be shown: credentials replaced. */
  readonly redactedUrl: string;
  /** Value of the Authorization header, if one is to be sent. */
  readonly authorization: string | undefined;
  /** Further headers of its requests; missing for none. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Whether the user named it; otherwise it was derived from an inference server's URL. */
  readonly named: boolean;
  /** Place of its server as the user states it; missing for none. */
  readonly place?: Place;
  /** Longest wait for its first page; the settings' if it has none of its own. */
  readonly reachabilityTimeoutNs?: number;
}

/** Header lines that only requests to this endpoint have, each with its line end. */
export function headerLinesOf(
  { authorization, headers = [] }: Pick<MetricsEndpoint, "authorization" | "headers">,
): string {
  const own = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return (authorization === undefined ? "" : `Authorization: ${authorization}\r\n`) + own;
}

/** Name of the scraped data in warnings. */
export interface ScrapeSubject {
  readonly name: string;
  /** The option that switches it off. */
  readonly off: string;
}

/** The usual one. */
export const SERVER_METRICS: ScrapeSubject = { name: "server metrics", off: "--no-server-metrics" };

/** Limits of a page: a scrape that exceeds one fails, and the next one is tried. */
export interface PageLimits {
  /** Bytes after decompression. */
  readonly bodyBytes: number;
  readonly samples: number;
  /** Labels of a sample. */
  readonly labels: number;
  readonly labelValueBytes: number;
  /** Number of different series in the run; samples of others are skipped and counted. */
  readonly series: number;
}

/**
 * The endpoints to try once where one does not speak Prometheus' format, or has nothing there.
 * @returns none for URLs that do not end in `/metrics`, and for paths that are tried themselves
 */
export function alternativeEndpoints(endpoint: MetricsEndpoint): MetricsEndpoint[] {
  const redactedUrls = alternativeUrls(endpoint.redactedUrl);
  return alternativeUrls(endpoint.path).map((path, at) => ({
    ...endpoint,
    path,
    redactedUrl: redactedUrls[at] as string,
  }));
}

/** Other usual URLs of metrics for a URL, or paths for a path, with or without a query. */
export function alternativeUrls(url: string): string[] {
  const [path, query = ""] = url.split(/(?=\?)/, 2) as [string, string | undefined];
  if (!path.endsWith(USUAL_PATH) || OTHER_PATHS.some((other) => path.endsWith(other))) return [];
  const base = path.slice(0, -USUAL_PATH.length);
  return OTHER_PATHS.map((other) => base + other + query);
}
