/**
 * Files that the sources reach by their URLs: the code of threads, and data. A bundler does not see
 * them, and one that is missing in an executable is missed only when it is needed.
 *
 * This is the one place that knows them, and it finds them: `new URL("./x", import.meta.url)` is
 * the only way in which the sources may name a file.
 */

import { basename, dirname, join, relative } from "node:path";
import { sourceFiles } from "./source_files.ts";

const URL_IN_SOURCE = /new URL\(\s*"(\.{1,2}\/[^"]+)",\s*import\.meta\.url,?\s*\)/g;

/** What the sources reach by URL; paths are relative to the folder of the sources. */
export interface EmbeddedUrls {
  /** Modules that threads begin with. */
  readonly threads: readonly string[];
  readonly data: readonly string[];
}

/**
 * Finds the files that sources reach by URL.
 * @param folder of the sources
 * @throws {Error} if a file is named in a way that does not work in an executable
 */
export async function embeddedUrls(folder: string): Promise<EmbeddedUrls> {
  const found = new Set<string>();
  for (const path of await sourceFiles(folder)) {
    const text = await Deno.readTextFile(path);
    const urls = [...text.matchAll(URL_IN_SOURCE)].map(([, url]) => url as string);
    if (urls.length !== text.split("import.meta").length - 1) {
      throw new Error(
        `${path} uses import.meta other than in new URL("./file", import.meta.url), ` +
          "which does not work in an executable",
      );
    }
    for (const url of urls) {
      const file = join(dirname(path), url);
      const { isFile } = await Deno.stat(file).catch(() => ({ isFile: false }));
      if (!isFile) throw new Error(`${path} names ${url}, which is no file`);
      found.add(relative(folder, file));
    }
  }
  const files = [...found].sort();
  const names = files.map((path) => embeddedName(path));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two embedded files have the name ${twice}`);
  return {
    threads: files.filter((file) => file.endsWith(".ts")),
    data: files.filter((file) => !file.endsWith(".ts")),
  };
}

/**
 * Name of such a file in the executable, where all lie in one folder. Data is packed there, and says
 * so: what is called `.wasm` would be read as a module.
 * @param isPacked whether data is
 */
export function embeddedName(path: string, isPacked = true): string {
  const name = basename(path);
  if (name.endsWith(".ts")) return name.replace(/\.ts$/, ".js");
  return isPacked ? `${name}.br` : name;
}

/** A source text with its URLs as they are in the executable. */
export function withEmbeddedNames(text: string, isPacked = true): string {
  return text.replace(
    URL_IN_SOURCE,
    (_, url: string) => `new URL("./${embeddedName(url, isPacked)}", import.meta.url)`,
  );
}
