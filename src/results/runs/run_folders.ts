import { RUN_FILES, RUN_FOLDER } from "../collect/run_files.ts";

/** Folders deeper than this below the first one are not looked at. */
const MAX_DEPTH = 16;
/** Most folders that are looked at. */
const MAX_FOLDERS = 100_000;
/** Folders that hold no runs, whatever is in them. */
const SKIPPED = new Set([RUN_FOLDER, "plots", "node_modules"]);

/** A folder that may hold a run. */
export interface RunPlace {
  readonly directory: string;
  /** Below the folder that was searched; `.` for itself. */
  readonly relative: string;
  /** Names of its files. */
  readonly files: ReadonlySet<string>;
  /** Whether it holds the records of a run. */
  readonly hasManifest: boolean;
}

/**
 * The folders of runs in and below a folder, in the order of their names. Links are not followed, nor
 * what cannot be read.
 * @throws {Deno.errors.NotFound} if the first one is not there
 */
export async function* runFolders(root: string): AsyncGenerator<RunPlace> {
  let left = MAX_FOLDERS;
  await Deno.stat(root);
  yield* below(root, ".", 0);

  async function* below(
    directory: string,
    relative: string,
    depth: number,
  ): AsyncGenerator<RunPlace> {
    if (left-- <= 0) return;
    const files = new Set<string>();
    const folders: string[] = [];
    try {
      for await (const { name, isFile, isDirectory } of Deno.readDir(directory)) {
        if (isFile) files.add(name);
        else if (isDirectory) folders.push(name);
      }
    } catch (error) {
      if (depth === 0) throw error;
      return;
    }
    const hasManifest = folders.includes(RUN_FOLDER) &&
      await Deno.stat(`${directory}/${RUN_FILES.manifest}`).then(() => true, () => false);
    if (hasManifest || [...files].some((name) => /\.jsonl?$/.test(name))) {
      yield { directory, relative, files, hasManifest };
    }
    if (depth === MAX_DEPTH) return;
    for (const name of folders.sort()) {
      if (SKIPPED.has(name) || name.startsWith(".")) continue;
      const path = relative === "." ? name : `${relative}/${name}`;
      yield* below(`${directory}/${name}`, path, depth + 1);
    }
  }
}
