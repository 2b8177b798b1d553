/**
 * Whether a host is a name or an address that the runtime's permissions can name; other characters
 * that URLs allow make it throw where a thread is started.
 * @param host IPv6 addresses without brackets
 */
export function isHostName(host: string): boolean {
  if (host.includes(":")) return URL.canParse(`http://[${host}]/`);
  const labels = host.replace(/\.$/, "").split(".");
  return host.length <= 253 && labels.every((label) => /^[a-z0-9_-]{1,63}$/i.test(label));
}
