import { redactedUrlText } from "../../../core/secrets/url_secrets.ts";
import { proxyOf } from "../../options/proxy_of.ts";
import type { Target } from "../run_plan.ts";

/**
 * A sentence for each server that `fetch` asks through a proxy of the environment.
 * @param variable reads the environment
 */
export function proxyNotices(
  targets: readonly Pick<Target, "origin">[],
  variable?: (name: string) => string | undefined,
): string[] {
  const notices = targets.flatMap(({ origin }) => {
    const proxy = proxyOf(origin, variable);
    if (proxy === undefined) return [];
    return [
      `Requests to ${origin.host} go through the proxy ${redactedUrlText(proxy.url)} of ` +
      proxy.name,
    ];
  });
  return [...new Set(notices)];
}
