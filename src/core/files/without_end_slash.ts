/** A folder without slashes at its end; the root keeps its own. */
export function withoutEndSlash(path: string): string {
  return path.replace(/(?<=.)[/\\]+$/, "");
}
