import { isHubName } from "./hub_name.ts";

/** What a repository of a hub holds. */
export type RepositoryKind = "models" | "datasets";

/**
 * The folder of a model in the local cache of a hub, as Hugging Face's tools lay it out:
 * `models--org--name/snapshots/REVISION/`.
 * @param cacheFolder undefined for none
 * @param file that the folder must hold
 * @returns undefined if it is not there
 */
export async function cachedFolder(
  cacheFolder: string | undefined,
  name: string,
  file: string,
): Promise<string | undefined> {
  for (const folder of await cachedSnapshots(cacheFolder, "models", name)) {
    if (await isFile(`${folder}/${file}`)) return folder;
  }
  return undefined;
}

/**
 * The folders of a repository's revisions in the local cache of a hub, the best first: the revision
 * that `refs/main` names, then the snapshot that was made last.
 */
export async function cachedSnapshots(
  cacheFolder: string | undefined,
  kind: RepositoryKind,
  name: string,
): Promise<string[]> {
  if (cacheFolder === undefined || !isHubName(name)) return [];
  const repository = `${cacheFolder}/${kind}--${name.replaceAll("/", "--")}`;
  return (await revisionsOf(repository)).map((revision) => `${repository}/snapshots/${revision}`);
}

/** The revisions that come into question, the best first. */
async function revisionsOf(repository: string): Promise<string[]> {
  const found: { readonly name: string; readonly madeMs: number }[] = [];
  let main: string | undefined;
  try {
    for await (const { name, isDirectory } of Deno.readDir(`${repository}/snapshots`)) {
      if (!isDirectory) continue;
      const { mtime } = await Deno.stat(`${repository}/snapshots/${name}`);
      found.push({ name, madeMs: mtime?.getTime() ?? 0 });
    }
    main = (await Deno.readTextFile(`${repository}/refs/main`)).trim();
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

/** Whether a file cannot be had, as if it were not there. */
export function isAbsence(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable ||
    error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotADirectory;
}
