import { isHubName } from "./hub_name.ts";

/**
 * The folder of a model in the local cache of a hub, as Hugging Face's tools lay it out:
 * `models--org--name/snapshots/REVISION/`. The revision is the one that `refs/main` names, else the
 * snapshot that was made last.
 * @param cacheFolder undefined for none
 * @param file that the folder must hold
 * @returns undefined if it is not there
 */
export async function cachedFolder(
  cacheFolder: string | undefined,
  name: string,
  file: string,
): Promise<string | undefined> {
  if (cacheFolder === undefined || !isHubName(name)) return undefined;
  const model = `${cacheFolder}/models--${name.replaceAll("/", "--")}`;
  for (const revision of await revisionsOf(model)) {
    const folder = `${model}/snapshots/${revision}`;
    if (await isFile(`${folder}/${file}`)) return folder;
  }
  return undefined;
}

/** The revisions that come into question, the best first. */
async function revisionsOf(model: string): Promise<string[]> {
  const found: { readonly name: string; readonly madeMs: number }[] = [];
  let main: string | undefined;
  try {
    for await (const { name, isDirectory } of Deno.readDir(`${model}/snapshots`)) {
      if (!isDirectory) continue;
      const { mtime } = await Deno.stat(`${model}/snapshots/${name}`);
      found.push({ name, madeMs: mtime?.getTime() ?? 0 });
    }
    main = (await Deno.readTextFile(`${model}/refs/main`)).trim();
  } catch (error) {
    // What may not be read is as if it were not there.
    if (!isAbsence(error)) throw error;
  }
  const names = found.sort((a, b) => b.madeMs - a.madeMs).map(({ name }) => name);
  return main !== undefined && names.includes(main)
    ? [main, ...names.filter((name) => name !== main)]
    : names;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable ||
    error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotADirectory;
}
