import type { OptionSpec } from "./option.ts";

/**
 * A value that no shell has expanded, of an option for a file or folder: `~` and `~/data` become
 * paths in the home folder. Other values, `~user` included, are unchanged.
 * @param variable reads a variable of the environment
 */
export function homePath(
  { completes }: Pick<OptionSpec, "completes">,
  value: unknown,
  variable: (name: string) => string | undefined,
): unknown {
  if (completes !== "file" && completes !== "folder") return value;
  if (Array.isArray(value)) return value.map((entry) => homePath({ completes }, entry, variable));
  if (typeof value !== "string" || !/^~(?=[/\\]|$)/.test(value)) return value;
  const home = variable("HOME") || variable("USERPROFILE");
  return home ? home.replace(/[/\\]+$/, "") + value.slice(1) : value;
}
