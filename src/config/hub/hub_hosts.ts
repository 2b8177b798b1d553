/** Hubs that keep large files elsewhere, and the domains of their own at which that is. */
const STORAGE_DOMAINS: Readonly<Record<string, readonly string[]>> = {
  "huggingface.co": ["hf.co", "huggingface.co"],
};

/** The hosts that fetching from a hub reaches, as `host:port`; `*.` stands for any host of a domain. */
export function hubHosts(endpoint: string): string[] {
  const { hostname, port, protocol } = new URL(endpoint);
  return [
    `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`,
    ...(STORAGE_DOMAINS[hostname] ?? []).map((domain) => `*.${domain}:443`),
  ];
}

/** Whether a redirect of a hub leads to the hub itself or to its own storage. */
export function isHubHost(endpoint: string, url: URL): boolean {
  const { host, hostname } = new URL(endpoint);
  if (url.host === host) return true;
  return url.protocol === "https:" && url.port === "" &&
    (STORAGE_DOMAINS[hostname] ?? []).some((domain) => url.hostname.endsWith(`.${domain}`));
}
