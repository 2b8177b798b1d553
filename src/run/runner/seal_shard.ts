import type { RunPlan } from "../../config/plan/run_plan.ts";
import { USER_AGENT } from "../../config/plan/version.ts";
import type { ShardFacts } from "../../config/shard/shard_manifest.ts";
import { firstReason } from "../../core/run_end/end_reason.ts";
import type { MainClock } from "../../core/thread/run_clock.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import { planHash, type RunSummary } from "../../results/collect/run_manifest.ts";
import { missedWhileStill } from "../../results/collect/client_stalled.ts";
import type { PhaseStarts } from "./phase_starts.ts";
import type { ResultsClient } from "./results_client.ts";

/**
 * Has the last file of a shard written, when all others are; nothing where the run has no shards.
 * @returns why it could not be written; undefined if it is there
 */
export async function sealShard(
  plan: RunPlan,
  results: ResultsClient,
  starts: Pick<PhaseStarts, "agreed" | "clockOffset">,
  clock: Pick<MainClock, "baseEpochNs">,
  { host, report, failure, summary, sessions, lostThreads }: {
    readonly host: string;
    readonly report: ProfileReport;
    /** Why a file could not be written; undefined if all are there. */
    readonly failure: string | undefined;
    readonly summary: RunSummary;
    readonly sessions: number;
    /** Load workers that died. */
    readonly lostThreads: number;
  },
): Promise<string | undefined> {
  if (plan.shard === undefined) return undefined;
  const { requests } = report;
  const { wasCancelled, isComplete, endedEarly, unsentArrivals } = summary;
  // Arrivals that found no free place until the end are counted in the results: the shard did its
  // share all the same, as a run of one process does its plan.
  const wasStill = missedWhileStill(summary, plan) > 0;
  const isPartial = wasStill || (!isComplete &&
    (wasCancelled || endedEarly !== undefined || lostThreads > 0 || unsentArrivals === 0));
  return await results.seal({
    planHash: await planHash(plan),
    version: USER_AGENT,
    seed: plan.seed,
    shard: plan.shard,
    host,
    start: startFacts(starts, clock.baseEpochNs),
    clock: starts.clockOffset,
    counts: {
      requests: requests.sent,
      failed: requests.failed,
      cancelled: requests.cancelled,
      sessions,
    },
    exitReason: endedEarly ??
      (wasCancelled ? "interrupted" : wasStill ? "held up" : isPartial ? "incomplete" : failure) ??
      "complete",
    endReason: firstReason(report.endReason, wasStill ? "held_up" : undefined),
    partial: isPartial,
  });
}

/** The start by the clock of shard 0. */
function startFacts(
  { agreed, clockOffset }: Pick<PhaseStarts, "agreed" | "clockOffset">,
  baseEpochNs: bigint,
): ShardFacts["start"] {
  if (agreed === undefined) return undefined;
  const { intendedNs, latenessNs } = agreed;
  const offsetNs = BigInt(Math.round((clockOffset?.offsetMs ?? 0) * 1e6));
  const ofHost = (runNs: number): bigint => baseEpochNs + BigInt(Math.round(runNs)) - offsetNs;
  return {
    intendedNs: ofHost(intendedNs),
    actualNs: ofHost(intendedNs + latenessNs),
    latenessMs: latenessNs / 1e6,
  };
}
