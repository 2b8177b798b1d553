import { resultNames } from "../export/artifact_names.ts";
import { ExportError } from "../export/export_error.ts";
import { RUN_FILES } from "../results/run_folder.ts";
import type { OutputPlan } from "../plan/run_plan.ts";

/** The folder that was asked for. */
export type WantedFolder = Pick<OutputPlan, "directory" | "overwrite" | "prefix">;

/**
 * Makes the folder of a run and returns its absolute path. A folder that already holds something is
 * left alone unless it may be overwritten: a numbered sibling is made instead. Where it may, the
 * results of an earlier run are removed: none of them is to be taken for this run's.
 * @throws {ExportError} if it cannot be made or written to
 * @throws {Deno.errors.NotCapable} if the runtime does not permit it
 */
export async function prepareOutput(output: WantedFolder): Promise<string> {
  try {
    const directory = (await outputCandidates(output)).at(-1) as string;
    await Deno.mkdir(directory, { recursive: true });
    const path = await Deno.realPath(directory);
    await assertWritable(path);
    if (output.overwrite) await removeResults(path, output.prefix);
    return path;
  } catch (error) {
    if (error instanceof ExportError || error instanceof Deno.errors.NotCapable) throw error;
    throw new ExportError(output.directory, error);
  }
}

async function removeResults(directory: string, prefix: string | undefined): Promise<void> {
  for (const name of [...resultNames(prefix), ...Object.values(RUN_FILES)]) {
    await Deno.remove(`${directory}/${name}`).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}

/** The folders that come into question for a run; the last one is the one to take. */
export async function outputCandidates(
  output: Omit<WantedFolder, "prefix">,
): Promise<string[]> {
  const wanted = output.directory.replace(/(?<=.)\/+$/, "");
  const candidates = [wanted];
  while (!output.overwrite && !(await isEmptyOrMissing(candidates.at(-1) as string))) {
    candidates.push(`${wanted}-${candidates.length + 1}`);
  }
  return candidates;
}

async function isEmptyOrMissing(directory: string): Promise<boolean> {
  try {
    for await (const _ of Deno.readDir(directory)) return false;
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  }
}

/** Finds out now rather than after the run. */
async function assertWritable(directory: string): Promise<void> {
  const probe = `${directory}/.inferometer-${crypto.randomUUID()}.tmp`;
  try {
    await Deno.writeTextFile(probe, "");
    await Deno.remove(probe);
  } catch (error) {
    throw new ExportError(directory, error);
  }
}
