import { fileReason } from "../../core/files/file_reason.ts";
import { ExportError } from "../../report/export/export_error.ts";
import { isClaimed, isHeld } from "../../report/export/folder_claim.ts";
import { UsageError } from "../../config/options/usage_error.ts";
import { runFolder, SWEEP_FILES } from "../../report/sweep/sweep_layout.ts";
import {
  readSweepManifest,
  type SweepManifest,
  SweepManifestError,
} from "../../report/sweep/sweep_manifest.ts";
import { withoutEndSlash } from "../../core/files/without_end_slash.ts";
import { isEmptyFolder } from "../operands/empty_folder.ts";

/** The folder of a command, and what lies in it already. */
export interface CampaignFolder {
  readonly directory: string;
  /** The interrupted command that is continued; undefined for a new one. */
  readonly interrupted: SweepManifest | undefined;
}

/**
 * Reads what a folder of several runs is to hold.
 * @param flag for errors
 * @throws {UsageError} if it holds no such runs
 */
export async function openSweepFolder(directory: string, flag: string): Promise<CampaignFolder> {
  const folder = withoutEndSlash(directory);
  const interrupted = await manifestIn(folder, flag);
  if (interrupted === undefined) {
    throw new UsageError(
      flag,
      `${folder} has no runs to continue: it contains no ${SWEEP_FILES.manifest}`,
    );
  }
  return { directory: folder, interrupted };
}

/** The file of several runs in a folder; undefined if there is none. */
export async function manifestIn(
  directory: string,
  flag: string | undefined,
): Promise<SweepManifest | undefined> {
  let text: string;
  try {
    text = await Deno.readTextFile(`${directory}/${SWEEP_FILES.manifest}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    if (error instanceof Deno.errors.NotCapable) throw error;
    throw new UsageError(flag, `${directory}: ${fileReason(error)}`);
  }
  try {
    return readSweepManifest(text);
  } catch (error) {
    if (!(error instanceof SweepManifestError)) throw error;
    throw new UsageError(flag, `${directory}/${SWEEP_FILES.manifest}: ${error.message}`);
  }
}

/** How a folder is wanted. */
export interface WantedCampaignFolder {
  readonly directory: string;
  /** Whether the user named it. */
  readonly isNamed: boolean;
  readonly overwrite: boolean;
  readonly keep: boolean;
  /** Whether an earlier command was the same as this one. */
  isSame(earlier: SweepManifest): boolean;
}

/**
 * The folder for a command: the one that was wanted if it is free, or holds the same command,
 * interrupted, which is then continued; a finished one in a folder that the user named is replaced;
 * else a numbered one beside it.
 */
export async function campaignFolder(wanted: WantedCampaignFolder): Promise<CampaignFolder> {
  const base = withoutEndSlash(wanted.directory);
  for (let number = 1;; number++) {
    const directory = number === 1 ? base : `${base}-${number}`;
    if (await isClaimed(directory) && !wanted.overwrite) continue;
    if (await isHeld(directory)) {
      throw new ExportError(
        directory,
        "Another command is writing there: wait until it has ended, or name another folder",
      );
    }
    const earlier = await manifestIn(directory, "--artifact-dir").catch(() => undefined);
    if (wanted.overwrite) {
      if (earlier !== undefined) await removeRuns(directory, earlier);
      return { directory, interrupted: undefined };
    }
    const mayTake = number === 1 && wanted.isNamed && !wanted.keep;
    if (earlier !== undefined && mayTake) {
      if (!earlier.isComplete && wanted.isSame(earlier)) {
        return { directory, interrupted: earlier };
      }
      if (earlier.isComplete) {
        await removeRuns(directory, earlier);
        return { directory, interrupted: undefined };
      }
    }
    if (await isEmptyFolder(directory)) return { directory, interrupted: undefined };
  }
}

/** Removes the runs of an earlier command, so that none is taken for one of the new. */
async function removeRuns(directory: string, { shape, points }: SweepManifest): Promise<void> {
  const folders = points.flatMap((point) =>
    Array.from({ length: shape.trials }, (_, trial) => runFolder(shape, point, trial))
  );
  for (const folder of folders) {
    // A name that leads elsewhere is none of ours.
    if (folder.split("/").includes("..")) continue;
    await Deno.remove(`${directory}/${folder}`, { recursive: true }).catch(() => {});
  }
  await Deno.remove(`${directory}/${SWEEP_FILES.manifest}`).catch(() => {});
}
