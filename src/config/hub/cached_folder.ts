import { isHubName } from "./hub_name.ts";

/** The revision that is meant where none is named. */
export const MAIN = "main";

/** Content of a repository on a hub. */
export type RepositoryKind = "models" | "datasets";

/**
 * Returns the folder of a model in the local cache of a hub, as Hugging Face's tools lay it out:
 * `models--org--name/snapshots/REVISION/`.
 * @param cacheFolder undefined for none
 * @param file that the folder must hold
 * @returns undefined if it does not exist
 */
export async function cachedFolder(
  cacheFolder: string | undefined,
  name: string,
  file: string,
  revision = MAIN,
): Promise<string | undefined> {
  for (const folder of await cachedSnapshots(cacheFolder, "models", name, revision)) {
    if (await isFile(`${folder}/${file}`)) return folder;
  }
  return undefined;
}

/**
 * Returns the folders of a repository's revisions in the local cache of a hub, best first. For
 * `main` these are the one that `refs/main` names, then the latest snapshot; for another revision
 * only its own folder.
 */
export async function cachedSnapshots(
  cacheFolder: string | undefined,
  kind: RepositoryKind,
  name: string,
  revision = MAIN,
): Promise<string[]> {
  if (cacheFolder === undefined || !isHubName(name)) return [];
  const repository = `${cacheFolder}/${kind}--${name.replaceAll("/", "--")}`;
  const revisions = revision === MAIN
    ? await revisionsOf(repository)
    : [await referredBy(repository, revision) ?? revision];
  return revisions.map((one) => `${repository}/snapshots/${one}`);
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
    main = await referredBy(repository, MAIN);
  } catch (error) {
    // What may not be read is as if it were not there.
    if (!isAbsence(error)) throw error;
  }
  const names = found.sort((a, b) => b.madeMs - a.madeMs).map(({ name }) => name);
  return main !== undefined && names.includes(main)
    ? [main, ...names.filter((name) => name !== main)]
    : names;
}

/** The commit that a branch or tag stands for in the cache. */
async function referredBy(repository: string, revision: string): Promise<string | undefined> {
  try {
    return (await Deno.readTextFile(`${repository}/refs/${revision}`)).trim();
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

/** Whether a file cannot be read, as if it did not exist. */
export function isAbsence(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable ||
    error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotADirectory;
}
