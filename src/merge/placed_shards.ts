import { Extent, killedSummary } from "../results/report_run.ts";
import { openRunFolder, RunFolderError } from "../results/run_folder.ts";
import type { RunSummary } from "../results/run_manifest.ts";
import type { ReadableShard } from "./assert_same_run.ts";
import type { MergedShard } from "./merged_manifest.ts";
import { undonePart } from "./undone_part.ts";

/** A shard on the clock of the whole run. */
export interface PlacedShard extends MergedShard {
  /** What is added to times since 1970 that this shard wrote. */
  readonly lineShiftNs: number;
  /** Whether it could not write all: its process was killed, or its disk was full. */
  readonly isCut: boolean;
  /** Whether its process went on to its end all the same. */
  readonly isUnwritten: boolean;
  /** Whether it did less than its part of the plan. */
  readonly isPartial: boolean;
  /** What of its part it left undone, from 0 to 1. */
  readonly undone: number;
}

/**
 * Places shards on one clock: that of shard 0, from which the offsets of the others were measured.
 * What they wrote keeps its own times; these are moved where they are read.
 * @param count how many shards the run has
 * @throws {RunFolderError} if the records of one that was killed cannot be read
 */
export async function placedShards(
  directory: string,
  shards: readonly ReadableShard[],
  count: number,
): Promise<PlacedShard[]> {
  const placed: PlacedShard[] = [];
  let baseNs: bigint | undefined;
  for (const { folder, index, run, shard, state } of shards) {
    const aheadNs = BigInt(Math.round((shard?.clock?.offsetMs ?? 0) * 1e6));
    const startNs = run.facts.baseEpochNs - aheadNs;
    baseNs ??= startNs;
    const { sessions, summary } = run.summary === undefined
      ? await readSummary(`${directory}/${folder}`)
      : { summary: run.summary, sessions: shard?.counts.sessions ?? 0 };
    const isPartial = state === "cut" || (shard?.partial ?? true);
    placed.push({
      folder,
      index,
      manifest: { ...run, facts: { ...run.facts, baseEpochNs: startNs } },
      summary,
      shiftNs: Number(startNs - baseNs),
      lineShiftNs: Number(-aheadNs) + 0,
      isCut: state === "cut",
      isUnwritten: state === "cut" && shard !== undefined,
      isPartial,
      undone: isPartial
        ? undonePart(run.facts.plan, index, count, {
          ...{ requests: summary.sent, sessions },
          durationNs: summary.endNs - summary.startNs,
        })
        : 0,
    });
  }
  return placed;
}

/** What the records of a process that was killed say of it. */
async function readSummary(
  directory: string,
): Promise<{ readonly summary: RunSummary; readonly sessions: number }> {
  const folder = await openRunFolder(directory);
  const extent = new Extent();
  try {
    for (const stretch of folder.rows()) extent.add(stretch);
  } catch (error) {
    if (error instanceof RangeError) throw new RunFolderError(`${directory}: ${error.message}`);
    throw error;
  }
  const summary = { ...killedSummary(folder.manifest, extent), notes: [] };
  return { summary, sessions: extent.sessions };
}
