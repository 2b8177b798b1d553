import type { SweepSettings } from "../../config/options/commands/sweep_options.ts";
import { endpointPath } from "../../config/plan/servers/target_url.ts";
import type { CacheReset } from "../../run/runner/reset_prefix_cache.ts";

const DEFAULT_RESET_SECONDS = 30;

/** The wish to reset prefix caches; undefined if there is none. */
export function cacheReset(settings: SweepSettings): CacheReset | undefined {
  const { resetPrefixCache, resetKvCachePath: path, resetKvCacheTimeoutSeconds: seconds } =
    settings;
  if (!resetPrefixCache && path === undefined && seconds === undefined) return undefined;
  return {
    path: path === undefined ? undefined : endpointPath(path, "--reset-kv-cache-path"),
    timeoutMs: (seconds ?? DEFAULT_RESET_SECONDS) * 1e3,
  };
}
