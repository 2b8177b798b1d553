import { UsageError } from "../options/usage_error.ts";
import { openRunFolder, type RunFolder, RunFolderError } from "../results/run_folder.ts";

/** A run whose folder stands on the command line. */
export interface NamedRunFolder {
  /** The folder, without a slash at its end. */
  readonly folder: string;
  readonly run: RunFolder;
}

/**
 * Opens the run whose artifact folder a user names.
 * @throws {UsageError} if it holds none
 */
export async function namedRunFolder(directory: string): Promise<NamedRunFolder> {
  const folder = directory.replace(/(?<=.)[/\\]+$/, "");
  try {
    return { folder, run: await openRunFolder(folder) };
  } catch (error) {
    if (error instanceof RunFolderError) throw new UsageError("DIR", error.message);
    throw error;
  }
}
