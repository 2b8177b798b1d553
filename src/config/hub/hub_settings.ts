import { environmentVariable } from "../options/environment_variable.ts";

/**
 * The places of a model hub and its local cache; the variables are those of Hugging Face's own
 * tools.
 */
export interface HubSettings {
  /** Folder of the local cache; undefined if there is no home to look in. */
  readonly cacheFolder: string | undefined;
  /** URL of the hub, without a slash at its end. */
  readonly endpoint: string;
  /** Token that is sent only to the hub, and never shown. */
  readonly token: string | undefined;
  /** Whether nothing may be fetched. */
  readonly isOffline: boolean;
}

const DEFAULT_ENDPOINT = "https://huggingface.co";

/** Whether the hub is the default one. */
export function isDefaultHub({ endpoint }: Pick<HubSettings, "endpoint">): boolean {
  return endpoint === DEFAULT_ENDPOINT;
}

/**
 * The settings of the environment: `HF_HUB_CACHE`, `HF_HOME`, `XDG_CACHE_HOME` and the home folder
 * for the cache, `HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE`.
 * @param variable reads a variable; undefined for one that is not set
 */
export function hubSettings(
  variable: (name: string) => string | undefined = environmentVariable,
): HubSettings {
  const set = (name: string): string | undefined => variable(name) || undefined;
  const home = set("HOME") ?? set("USERPROFILE");
  const caches = set("XDG_CACHE_HOME") ?? (home === undefined ? undefined : `${home}/.cache`);
  const own = set("HF_HOME") ?? (caches === undefined ? undefined : `${caches}/huggingface`);
  return {
    cacheFolder: set("HF_HUB_CACHE") ?? (own === undefined ? undefined : `${own}/hub`),
    endpoint: (set("HF_ENDPOINT") ?? DEFAULT_ENDPOINT).replace(/\/+$/, ""),
    token: set("HF_TOKEN"),
    isOffline: /^(1|true|yes|on)$/i.test(set("HF_HUB_OFFLINE") ?? ""),
  };
}
