import type { Origin } from "../../client/http/transport.ts";

/** An endpoint at which a server exposes its metrics. */
export interface MetricsEndpoint {
  readonly origin: Origin;
  /** Path and query. */
  readonly path: string;
  /** The URL as it may be shown: credentials replaced. */
  readonly redactedUrl: string;
  /** Value of the Authorization header, if one is to be sent. */
  readonly authorization: string | undefined;
  /** Whether the user named it; otherwise it was derived from an inference server's URL. */
  readonly named: boolean;
  /** Longest wait for its first page; the settings' if it has none of its own. */
  readonly reachabilityTimeoutNs?: number;
}

/** What is read from endpoints, as warnings call it. */
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
  /** Different series in the run; further ones are left out and counted. */
  readonly series: number;
}

/** The path under which TensorRT-LLM exposes its metrics, instead of the usual one. */
const ALTERNATIVE_PATH = "/prometheus/metrics";

/**
 * The endpoint to try once where one does not speak Prometheus' format.
 * @returns undefined for URLs that do not end in `/metrics`, and for that path itself
 */
export function alternativeEndpoint(endpoint: MetricsEndpoint): MetricsEndpoint | undefined {
  const path = alternativeUrl(endpoint.path);
  const redactedUrl = alternativeUrl(endpoint.redactedUrl);
  if (path === undefined || redactedUrl === undefined) return undefined;
  return { ...endpoint, path, redactedUrl };
}

/** The same of a URL, or of a path, with or without a query. */
export function alternativeUrl(url: string): string | undefined {
  const [path, query] = url.split(/(?=\?)/, 2) as [string, string | undefined];
  if (!path.endsWith("/metrics") || path.endsWith(ALTERNATIVE_PATH)) return undefined;
  return path.slice(0, -"/metrics".length) + ALTERNATIVE_PATH + (query ?? "");
}
