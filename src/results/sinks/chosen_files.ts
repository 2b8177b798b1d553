import { isClaim } from "../../report/export/folder_claim.ts";

/**
 * The files of a folder that a pattern matches, by their paths in it, in alphabetical order.
 * Temporary files, and links, are none of them.
 * @param globs patterns in which `*` and `?` stay within a folder and `**` does not
 */
export async function chosenFiles(directory: string, globs: readonly string[]): Promise<string[]> {
  const patterns = globs.map(globPattern);
  const names: string[] = [];
  for await (const name of filesBelow(directory, "")) {
    if (patterns.some((pattern) => pattern.test(name))) names.push(name);
  }
  return names.sort();
}

async function* filesBelow(directory: string, folder: string): AsyncGenerator<string> {
  for await (const { name, isFile, isDirectory } of Deno.readDir(`${directory}/${folder}`)) {
    if (isDirectory) yield* filesBelow(directory, `${folder}${name}/`);
    else if (isFile && !isClaim(name) && !name.endsWith(".tmp")) yield folder + name;
  }
}

/** A pattern as a regular expression of the whole path. */
export function globPattern(glob: string): RegExp {
  const source = [...glob.matchAll(/\*\*\/|\*\*|[\s\S]/g)].map(([token]) => {
    switch (token) {
      case "**/":
        return "(?:[^/]+/)*";
      case "**":
        return ".*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      default:
        return token.replace(/[\\^$.|+()[\]{}]/g, "\\$&");
    }
  });
  return new RegExp(`^${source.join("")}$`, "s");
}
