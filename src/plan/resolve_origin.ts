import type { Origin } from "../http/transport.ts";
import { UsageError } from "./usage_error.ts";

/**
 * Looks up the addresses of a server's name, once for the whole run: no lookup is then part of a
 * measured request, and the load threads can be confined to these addresses.
 * @throws {UsageError} if the name is not known
 */
export async function resolveOrigin(origin: Origin): Promise<Origin> {
  if (isAddress(origin.hostname)) return { ...origin, addresses: [origin.hostname] };
  const { lookup } = await import("node:dns/promises");
  try {
    const found = await lookup(origin.hostname, { all: true });
    return { ...origin, addresses: [...new Set(found.map(({ address }) => address))] };
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable || /EPERM/.test(String(error))) {
      // Without leave to look names up, connections are made by name.
      return origin;
    }
    throw new UsageError("--url", `The name ${origin.hostname} is not known (${codeOf(error)})`);
  }
}

function isAddress(hostname: string): boolean {
  return hostname.includes(":") || /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname);
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" ? code : error instanceof Error ? error.message : String(error);
}
