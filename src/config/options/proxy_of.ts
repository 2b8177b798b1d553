import { environmentVariable } from "./environment_variable.ts";
import { isExcepted } from "./no_proxy.ts";

/** A proxy that a variable of the environment names. */
export interface NamedProxy {
  /** The variable. */
  readonly name: string;
  /** Value of the variable. */
  readonly url: string;
}

/**
 * The proxy through which `fetch` asks a server: the runtime does so itself, whatever the permissions.
 * @param variable reads the environment
 */
export function proxyOf(
  { protocol, hostname }: { readonly protocol: string; readonly hostname: string },
  variable: (name: string) => string | undefined = environmentVariable,
): NamedProxy | undefined {
  const read = (name: string): string => variable(name) || variable(name.toLowerCase()) || "";
  const exceptions = read("NO_PROXY").split(",").map((entry) => entry.trim());
  if (exceptions.some((entry) => isExcepted(entry, hostname))) return undefined;
  // In the runtime's order.
  const name = ["ALL_PROXY", protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY"]
    .find((name) => read(name) !== "");
  if (name === undefined) return undefined;
  return { name, url: read(name) };
}
