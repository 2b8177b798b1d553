import { originOf } from "../../src/config/plan/servers/target_url.ts";
import { authorizationOf, redactedUrl } from "../../src/core/secrets/url_secrets.ts";
import type { MetricsEndpoint } from "../../src/telemetry/scrape/metrics_endpoint.ts";

/** The endpoint of a URL whose host is an address. */
export function metricsEndpoint(url: string): MetricsEndpoint {
  const parsed = new URL(url);
  const origin = originOf(parsed);
  return {
    origin: { ...origin, addresses: [origin.hostname] },
    path: parsed.pathname + parsed.search,
    redactedUrl: redactedUrl(parsed),
    authorization: authorizationOf(parsed),
    named: true,
  };
}
