import { UsageError } from "../../config/options/usage_error.ts";
import { exportedNames } from "../../results/collect/exported_files.ts";
import { type ExportedView, openExportedView } from "../../results/collect/exported_view.ts";
import { openRunFolder, type RunFolder, RunFolderError } from "../../results/collect/run_folder.ts";
import { RUN_FILES } from "../../results/collect/run_files.ts";
import { withoutEndSlash } from "../../core/files/without_end_slash.ts";
import { warnOfChange } from "../terminal/changed_manifest.ts";

/** A run whose folder stands on the command line: one of this program, or of AIPerf. */
export type NamedRun =
  & {
    /** The folder, without a slash at its end. */
    readonly folder: string;
  }
  & (
    | { readonly run: RunFolder; readonly exported?: never }
    | { readonly run?: never; readonly exported: ExportedView }
  );

/**
 * Opens the run whose artifact folder a user names.
 * @throws {UsageError} if it holds none
 */
export async function namedRun(directory: string): Promise<NamedRun> {
  const folder = withoutEndSlash(directory);
  try {
    const hasManifest = await Deno.stat(`${folder}/${RUN_FILES.manifest}`).catch(() => undefined);
    const isExported = hasManifest === undefined &&
      await exportedNames(folder).then(() => true, () => false);
    if (isExported) return { folder, exported: await openExportedView(folder) };
    const run = await openRunFolder(folder);
    if (run.manifest.isChanged) warnOfChange(`${folder}/${RUN_FILES.manifest}`);
    return { folder, run };
  } catch (error) {
    if (error instanceof RunFolderError) throw new UsageError(undefined, error.message);
    throw error;
  }
}
