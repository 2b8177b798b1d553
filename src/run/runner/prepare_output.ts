import { dirname, resolve } from "node:path";
import {
  artifactNames,
  GATE_FILES,
  GATE_FOLDER,
  isPlotName,
  PLOT_FOLDER,
  resultNames,
} from "../../report/export/artifact_names.ts";
import { ExportError } from "../../report/export/export_error.ts";
import {
  claimFolder,
  isClaim,
  isClaimed,
  isHeld,
  releaseFolder,
  reserveRoom,
  unlockFolder,
} from "../../report/export/folder_claim.ts";
import { RUN_FILES, RUN_FOLDER } from "../../results/collect/run_files.ts";
import type { OutputPlan } from "../../config/plan/run_plan.ts";

const IN_USE = "Another run is writing there: wait until it has ended, or name another folder";

/** The folder that was asked for. */
export type WantedFolder = Pick<OutputPlan, "directory" | "existing" | "prefix">;

/** A folder that no other run takes until it is released. */
export interface OutputFolder {
  /** Its absolute path. */
  readonly path: string;
  /** Whether it is a numbered one beside the folder that was asked for. */
  readonly isBeside: boolean;
  /** Folders that were not there before, the innermost first. */
  readonly made: readonly string[];
  /**
   * Makes it ready for the first file: results of an earlier run are removed, so that none of them
   * is taken for this run's, and room is kept for the summary.
   */
  begin(): Promise<void>;
}

/**
 * Creates the folder of a run. One that is not empty is left alone, unless it may be
 * overwritten, or holds a finished run that may be replaced: a numbered sibling is made instead.
 * @throws {ExportError} if it cannot be made or written to
 * @throws {Deno.errors.NotCapable} if the runtime does not permit it
 */
export async function prepareOutput(output: WantedFolder): Promise<OutputFolder> {
  try {
    for (;;) {
      const directory = (await outputCandidates(output)).at(-1) as string;
      const made = await missingFolders(directory);
      await Deno.mkdir(directory, { recursive: true });
      const path = await Deno.realPath(directory);
      const mayTake = output.existing === "overwrite";
      if (mayTake) {
        // A claim that nobody holds is one that a killed run has left.
        if (await isHeld(path)) throw new ExportError(path, IN_USE);
        await releaseFolder(path);
      }
      // Another run may have begun since the look, or even ended: look again.
      if (!await claimFolder(path)) {
        if (!mayTake) continue;
        if (await isHeld(path)) throw new ExportError(path, IN_USE);
      }
      if (await isFree(output, directory, true)) {
        const isBeside = directory !== namedFolder(output);
        return { path, isBeside, made, begin: () => begin(path, output.prefix) };
      }
      await releaseFolder(path);
    }
  } catch (error) {
    if (error instanceof ExportError || error instanceof Deno.errors.NotCapable) throw error;
    throw new ExportError(output.directory, error);
  }
}

/**
 * Works in the folder of a run; if that fails, the folder is given up, and removed if it was made
 * for nothing.
 * @throws as {@linkcode prepareOutput} does, and what the work throws
 */
export async function inOutputFolder<T>(
  output: WantedFolder,
  work: (folder: OutputFolder) => Promise<T>,
): Promise<T> {
  const folder = await prepareOutput(output);
  try {
    return await work(folder);
  } catch (error) {
    await releaseFolder(folder.path);
    await removeEmpty(folder.made);
    throw error;
  } finally {
    unlockFolder(folder.path);
  }
}

/** The folders of a path that are not there, the innermost first. */
async function missingFolders(directory: string): Promise<string[]> {
  const missing: string[] = [];
  for (let path = resolve(directory);; path = dirname(path)) {
    const isThere = await Deno.lstat(path).then(() => true, () => false);
    if (isThere || dirname(path) === path) return missing;
    missing.push(path);
  }
}

/** Removes folders, as long as nothing is in them. */
async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const isGone = await Deno.remove(folder).then(() => true, () => false);
    if (!isGone) return;
  }
}

async function begin(directory: string, prefix: string | undefined): Promise<void> {
  try {
    const judged = Object.values(GATE_FILES).map((name) => `${GATE_FOLDER}/${name}`);
    const drawn = await plotsIn(directory);
    for (const name of [...resultNames(prefix), ...judged, ...drawn, ...Object.values(RUN_FILES)]) {
      await Deno.remove(`${directory}/${name}`).catch((error) => {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      });
    }
    // They stay if something else was put there.
    for (const folder of [RUN_FOLDER, GATE_FOLDER, PLOT_FOLDER]) {
      await Deno.remove(`${directory}/${folder}`).catch(() => {});
    }
  } catch (error) {
    throw new ExportError(directory, error);
  }
  await reserveRoom(directory);
}

/** Pictures of an earlier run. */
async function plotsIn(directory: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name, isFile } of Deno.readDir(`${directory}/${PLOT_FOLDER}`)) {
      if (isFile && isPlotName(name)) names.push(`${PLOT_FOLDER}/${name}`);
    }
  } catch {
    // There are none.
  }
  return names;
}

/**
 * The folders that come into question for a run; the last one is the one to take.
 * @throws {ExportError} if there is none but one that is not empty
 */
export async function outputCandidates(output: WantedFolder): Promise<string[]> {
  const wanted = namedFolder(output);
  const candidates = [wanted];
  if (output.existing === "refuse" && !(await isFree(output, wanted))) {
    throw new ExportError(
      wanted,
      "it holds a shard of another run: name another --artifact-dir, or use --overwrite",
    );
  }
  while (!(await isFree(output, candidates.at(-1) as string))) {
    candidates.push(`${wanted}-${candidates.length + 1}`);
  }
  return candidates;
}

function namedFolder({ directory }: WantedFolder): string {
  return directory.replace(/(?<=.)\/+$/, "");
}

/**
 * Whether a run may take a folder.
 * @param isOurs whether the claim in it is this run's
 */
async function isFree(
  output: WantedFolder,
  directory: string,
  isOurs = false,
): Promise<boolean> {
  const { existing, prefix } = output;
  if (existing === "overwrite") return true;
  if (!isOurs && await isClaimed(directory)) return false;
  const names = new Set<string>();
  try {
    for await (const { name, isFile } of Deno.readDir(directory)) {
      if (!isClaim(name)) names.add(isFile ? name : `${name}/`);
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
  // Only the folder that the user named is one to replace, not those that were made beside it.
  const isNamed = directory === namedFolder(output);
  return names.size === 0 ||
    (existing === "replace" && isNamed && names.has(artifactNames(prefix).json));
}
