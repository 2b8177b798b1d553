import process from "node:process";
import type { Origin } from "../../../client/http/transport.ts";
import { UsageError } from "../../options/usage_error.ts";

/**
 * Looks up the addresses of a server's name, once for the whole run: no lookup is then part of a
 * measured request, and the load threads can be confined to these addresses.
 * @param option where the name came from
 * @throws {UsageError} if the name is not known
 */
export async function resolveOrigin(origin: Origin, option = "--url"): Promise<Origin> {
  if (isAddress(origin.hostname)) return { ...origin, addresses: [origin.hostname] };
  try {
    return { ...origin, addresses: [...new Set(await addressesOf(origin.hostname))] };
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable || /EPERM/.test(String(error))) {
      // Without leave to look names up, connections are made by name.
      return origin;
    }
    throw new UsageError(
      option,
      `The host name ${origin.hostname} cannot be resolved (${codeOf(error)})`,
    );
  }
}

/** All addresses of a name. */
async function addressesOf(hostname: string): Promise<string[]> {
  // The resolver of Deno 2.6 loads a module that is out of date, and warns of it.
  Object.assign(process, { noDeprecation: true });
  const { lookup } = await import("node:dns/promises");
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

function isAddress(hostname: string): boolean {
  return hostname.includes(":") || /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname);
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" ? code : error instanceof Error ? error.message : String(error);
}
