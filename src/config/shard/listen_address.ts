/**
 * Returns the address on which shard 0 listens, from the name that the others use. An address is
 * used unchanged. A name may be a loopback address on the machine itself, as Debian's own name of a
 * machine is. Shard 0 then listens on all addresses of the machine, and the token rejects
 * strangers.
 */
export function listenAddress(hostname: string): string {
  if (hostname === "localhost") return "127.0.0.1";
  return hostname.includes(":") || /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname) ? hostname : "0.0.0.0";
}
