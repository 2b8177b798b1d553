import type { SystemsPlan } from "../../config/plan/systems_plan.ts";
import type { ExportOutcome } from "../../report/model/export_outcome.ts";
import { reportOf } from "../../results/collect/report_run.ts";
import type { RunFolder } from "../../results/collect/run_folder.ts";
import { SystemsClient } from "./systems_client.ts";

/** Settings of {@linkcode exportRun}. */
export interface ExportRunOptions {
  /** The absolute path of the run's folder. */
  readonly directory: string;
  readonly secrets: readonly string[];
  /** Called when all threads have what they need: this one may give up its permissions. */
  onThreadsStarted?(): Promise<void>;
}

/**
 * Sends a run that lies in a folder to other systems.
 * @throws {RunFolderError} if the folder cannot be read
 * @throws {MissingPermissionError} if this process does not have what a thread is to get
 */
export async function exportRun(
  run: RunFolder,
  plan: SystemsPlan,
  { directory, secrets, onThreadsStarted }: ExportRunOptions,
): Promise<ExportOutcome[]> {
  const report = reportOf(run);
  const systems = new SystemsClient(plan, directory, secrets);
  try {
    await systems.init();
    await onThreadsStarted?.();
    return await systems.finish(report);
  } finally {
    systems.close();
  }
}
