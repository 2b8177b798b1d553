/**
 * Evidence that a run has lost since it was written. Whatever draws a conclusion from a run asks for
 * it here, so that no verdict is given on a part of the requests without saying so.
 */

import { RECORD_FIELD } from "../../client/record/request_fields.ts";
import { incompleteText } from "../../report/model/incomplete_tag.ts";
import { changedParts } from "./changed_parts.ts";
import type { RunFolder } from "./run_folder.ts";
import { RUN_FILES } from "./run_files.ts";
import type { RunSummary } from "./run_manifest.ts";

/**
 * Returns what the files of a run have lost, a phrase each; nothing for files as they were written.
 * @param folder a run whose files were read to their ends
 * @param recorded number of records of the profiling phase that were read
 */
export function damageOf(
  { foreignFiles = new Set(), lossyFiles = new Set(), manifest }: RunFolder,
  recorded: number,
): string[] {
  const { isChanged, summary } = manifest;
  // A killed run may end anywhere: that it was killed is said of the run itself.
  const lossy = summary === undefined ? [] : [...lossyFiles].sort();
  return [
    ...recordTexts(summary, recorded),
    ...lossy.map((name) => `${name} is damaged`),
    ...[...foreignFiles].sort().map((name) => `${name} is of another run`),
    ...(isChanged ? [`${RUN_FILES.manifest} was modified`] : []),
  ];
}

/** Records that were written and are not there, or are there more than once. */
function recordTexts(summary: RunSummary | undefined, recorded: number): string[] {
  if (summary === undefined || !summary.isComplete || recorded === summary.sent) return [];
  const { sent } = summary;
  return recorded < sent
    ? [`${sent - recorded} of ${sent} records lost`]
    : [`${recorded} records of ${sent} requests`];
}

/**
 * Reads all files of a run, and returns what they have lost; see {@linkcode damageOf}.
 * @throws {RunFolderError} if a file cannot be read
 */
export async function readDamage(folder: RunFolder): Promise<string[]> {
  let recorded = 0;
  for (const { batch, start, end } of folder.rows(["phase"])) {
    const phases = batch.columns[RECORD_FIELD.phase] as Float64Array;
    for (let at = start; at < end; at++) if (phases[at] !== 0) recorded++;
  }
  for (const messages of [folder.canaries(), folder.scrapes(), folder.gpuScrapes()]) {
    for (const _ of messages);
  }
  return [...damageOf(folder, recorded), ...await changedParts(folder)];
}

/** Returns why the results of a run are not those of a whole run; undefined if they are. */
export function partialReason(folder: RunFolder): string | undefined {
  const { facts, summary } = folder.manifest;
  if (summary === undefined) return "it was killed";
  const { endedEarly, wasCancelled } = summary;
  if (endedEarly !== undefined) return `it ended early: ${endedEarly}`;
  if (wasCancelled) return "it was interrupted";
  const incomplete = incompleteText(facts.plan.tags ?? []);
  return incomplete === undefined ? undefined : `it is incomplete: ${incomplete}`;
}
