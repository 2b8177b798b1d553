import { type EndReason, firstReason } from "../../core/run_end/end_reason.ts";
import type { RunSummary } from "../collect/run_manifest.ts";
import { missedWhileStill } from "../collect/client_stalled.ts";
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
  /** Whether it did so because its process stood still, and for nothing else. */
  readonly isHeldUp: boolean;
  /** What of its part it left undone, from 0 to 1. */
  readonly undone: number;
}

/**
 * Places shards on one clock: that of shard 0, from which the offsets of the others were measured.
 * What they wrote keeps its own times; these are moved where they are read.
 * @param count how many shards the run has
 */
export function placedShards(shards: readonly ReadableShard[], count: number): PlacedShard[] {
  const placed: PlacedShard[] = [];
  let baseNs: bigint | undefined;
  for (const found of shards) {
    const { folder, index, run, shard, state } = found;
    // One that was killed had written down only the offset with which its last phase began.
    const aheadMs = shard?.clock?.offsetMs ?? run.phases.at(-1)?.clockAheadMs ?? 0;
    const aheadNs = BigInt(Math.round(aheadMs * 1e6));
    const startNs = run.facts.baseEpochNs - aheadNs;
    baseNs ??= startNs;
    const { sessions, summary } = found.state === "cut"
      ? found.recorded
      : { summary: found.run.summary, sessions: found.shard.counts.sessions };
    const isPartial = state === "cut" || (shard?.partial ?? true);
    const missed = isPartial ? missedWhileStill(summary, run.facts.plan) : 0;
    const { wasCancelled, endedEarly } = summary;
    placed.push({
      folder,
      index,
      manifest: { ...run, facts: { ...run.facts, baseEpochNs: startNs } },
      summary: { ...summary, endReason: endReasonOf(found, summary) },
      shiftNs: Number(startNs - baseNs),
      lineShiftNs: Number(-aheadNs) + 0,
      isCut: state === "cut",
      isUnwritten: state === "cut" && shard !== undefined,
      isPartial,
      isHeldUp: missed > 0 && state === "whole" && !wasCancelled && endedEarly === undefined,
      undone: isPartial
        ? Math.max(
          missed,
          undonePart(run.facts.plan, index, count, {
            ...{ requests: summary.sent, sessions },
            durationNs: summary.endNs - summary.startNs,
          }),
        )
        : 0,
    });
  }
  return placed;
}

/** Code of why a shard did less than its part; undefined if it did all of it. */
function endReasonOf(found: ReadableShard, { endReason }: RunSummary): EndReason | undefined {
  if (found.state === "cut") return "shard_lost";
  // Its records are whole then, and every other file is made again.
  return firstReason(...[endReason, found.shard.endReason].filter((reason) => reason !== "disk"));
}
