/**
 * Where shard 0 listens, by what the others call it. An address is taken as it is. A name may stand
 * for a loopback address on the machine itself, as Debian's own name of a machine does: there all
 * addresses of the machine are listened at, and the token keeps strangers out.
 */
export function listenAddress(hostname: string): string {
  if (hostname === "localhost") return "127.0.0.1";
  return hostname.includes(":") || /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname) ? hostname : "0.0.0.0";
}
