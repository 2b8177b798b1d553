import type { Origin } from "../../../client/http/transport.ts";
import { isHostName } from "../../options/host_name.ts";
import type { ProfileSettings } from "../../options/profile/profile_options.ts";
import { UsageError } from "../../options/usage_error.ts";
import { resolveOrigin } from "./resolve_origin.ts";

const MAX_PORT = 65535;

/** Route of requests that differs from what their URLs say. */
export interface Route {
  /** Address to connect to, from `--connect-to`; undefined for that of the URL. */
  readonly place: { readonly hostname: string; readonly port: number } | undefined;
  /** Value of the Host header, from `--header Host:`; undefined for the host of the URL. */
  readonly host: string | undefined;
}

/**
 * Reads the route of requests, and takes the Host header out of the others.
 * @throws {UsageError} naming the option that cannot be used
 */
export function routeOf(
  { connectTo, transport }: Pick<ProfileSettings, "connectTo" | "transport">,
  headers: readonly (readonly [name: string, value: string])[],
): { readonly route: Route; readonly headers: [string, string][] } {
  const isHost = ([name]: readonly [string, string]): boolean => name.toLowerCase() === "host";
  const hosts = headers.filter(isHost);
  const host = hosts[0]?.[1];
  if (hosts.length > 1) throw new UsageError("--header", "Host can be set once only");
  if (host !== undefined && !/^[\w.~%!$&'()*+;=:[\]-]+$/.test(host)) {
    throw new UsageError("--header", `Not a host: got ${JSON.stringify(host)}`);
  }
  if (transport === "fetch" && (host ?? connectTo) !== undefined) {
    throw new UsageError(
      host === undefined ? "--connect-to" : "--header",
      "The runtime's fetch takes the host of the URL only: use --transport socket",
    );
  }
  return {
    route: { place: connectTo === undefined ? undefined : placeOf(connectTo), host },
    headers: headers.filter((header) => !isHost(header)).map(([name, value]) => [name, value]),
  };
}

/**
 * Looks up the addresses of a server by its route: TLS still has to prove the name of the URL.
 * @throws {UsageError} if the name is not known
 */
export async function routedOrigin(origin: Origin, { place, host }: Route): Promise<Origin> {
  const routed = { ...origin, host: host ?? origin.host };
  if (place === undefined) return await resolveOrigin(routed);
  const { hostname, port } = place;
  const { addresses } = await resolveOrigin({ ...origin, hostname }, "--connect-to");
  return { ...routed, port, addresses: addresses.length > 0 ? addresses : [hostname] };
}

function placeOf(text: string): { readonly hostname: string; readonly port: number } {
  const match = /^(.*):(\d{1,5})$/.exec(text.trim());
  const hostname = (match?.[1] ?? "").replace(/^\[|\]$/g, "");
  const port = Number(match?.[2] ?? 0);
  if (port < 1 || port > MAX_PORT || !isHostName(hostname)) {
    throw new UsageError("--connect-to", `Must be host:port: got ${JSON.stringify(text)}`);
  }
  return { hostname, port };
}
