import { Extent, killedSummary } from "../results/report_run.ts";
import { openRunFolder, RunFolderError } from "../results/run_folder.ts";
import type { RunSummary } from "../results/run_manifest.ts";
import type { ReadableShard } from "./assert_same_run.ts";
import type { MergedShard } from "./merged_manifest.ts";

/** A shard on the clock of the whole run. */
export interface PlacedShard extends MergedShard {
  /** What is added to times since 1970 that this shard wrote. */
  readonly lineShiftNs: number;
  /** Whether its process was killed before it could write all. */
  readonly isCut: boolean;
}

/**
 * Places shards on one clock: that of shard 0, from which the offsets of the others were measured.
 * What they wrote keeps its own times; these are moved where they are read.
 * @throws {RunFolderError} if the records of one that was killed cannot be read
 */
export async function placedShards(
  directory: string,
  shards: readonly ReadableShard[],
): Promise<PlacedShard[]> {
  const placed: PlacedShard[] = [];
  let baseNs: bigint | undefined;
  for (const { folder, index, run, shard, state } of shards) {
    const aheadNs = BigInt(Math.round((shard?.clock?.offsetMs ?? 0) * 1e6));
    const startNs = run.facts.baseEpochNs - aheadNs;
    baseNs ??= startNs;
    placed.push({
      folder,
      index,
      manifest: { ...run, facts: { ...run.facts, baseEpochNs: startNs } },
      summary: run.summary ?? await summaryIn(`${directory}/${folder}`),
      shiftNs: Number(startNs - baseNs),
      lineShiftNs: Number(-aheadNs) + 0,
      isCut: state === "cut",
    });
  }
  return placed;
}

/** What the records of a process that was killed say of it. */
async function summaryIn(directory: string): Promise<RunSummary> {
  const folder = await openRunFolder(directory);
  const extent = new Extent();
  try {
    for (const { batch, start, end } of folder.stretches()) {
      for (let at = start; at < end; at++) extent.add(batch, at);
    }
  } catch (error) {
    if (error instanceof RangeError) throw new RunFolderError(`${directory}: ${error.message}`);
    throw error;
  }
  return { ...killedSummary(folder.manifest, extent), notes: [] };
}
