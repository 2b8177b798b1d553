import { ownAddress } from "./own_address.ts";

/** `host:port` of this machine where nothing listens. */
export function deadAddress(hostname = ownAddress()): string {
  const listener = Deno.listen({ hostname, port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return `${hostname}:${port}`;
}
