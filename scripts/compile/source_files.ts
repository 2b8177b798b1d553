import { join } from "node:path";

/** Returns the paths of the files with an ending in a folder and its subfolders, sorted. */
export async function sourceFiles(folder: string, ending = ".ts"): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) files.push(...await sourceFiles(path, ending));
    else if (entry.name.endsWith(ending)) files.push(path);
  }
  return files.sort();
}
