import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import type { Target } from "./run_plan.ts";
import type { ServerAccess } from "./server_access.ts";
import { USER_AGENT } from "./version.ts";

/**
 * Header lines of a request that is no part of the load: the headers of the run, and the credentials of
 * the URL unless the run has others.
 * @param type API of a request with a body; undefined for a request without
 */
export function accessHeaderLines(
  { headers }: Pick<ServerAccess, "headers">,
  { authorization }: Pick<Target, "authorization">,
  type?: Pick<EndpointType, "body" | "headers">,
): string {
  const hasKey = headers.some(([name]) => name.toLowerCase() === "authorization");
  const all: (readonly [name: string, value: string])[] = [
    ["Accept-Encoding", "identity"],
    ["User-Agent", USER_AGENT],
    ...(type === undefined ? [] : [["Content-Type", type.body.contentType] as const]),
    ...(type?.headers ?? []),
    ...headers,
    ...(authorization === undefined || hasKey ? [] : [["Authorization", authorization] as const]),
  ];
  return all.map(([name, value]) => `${name}: ${value}\r\n`).join("");
}
