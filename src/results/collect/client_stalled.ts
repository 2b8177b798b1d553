import { phaseOfShard } from "../../config/plan/phase_of_shard.ts";
import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { RunSummary } from "./run_manifest.ts";

/** Shorter stops are made up for in the rest of a phase. */
const LONG_NS = 1e9;

/** Whether arrivals were not sent because the process stood still, and not for want of room. */
export function clientStalled(
  { stalls = [], unsentArrivals }: Pick<RunSummary, "stalls" | "unsentArrivals">,
): boolean {
  return unsentArrivals > 0 && lengthOf(stalls) >= LONG_NS;
}

/**
 * What of its load a process did not give because it stood still, from 0 to 1: arrivals, or, where
 * users send until a time is over, that time. Where requests are counted, they were sent later.
 */
export function missedWhileStill(
  summary: RunSummary,
  { phases, shard }: Pick<RunPlan, "phases" | "shard">,
): number {
  const { stalls = [], startNs, sent, unsentArrivals } = summary;
  if (clientStalled(summary)) return unsentArrivals / (sent + unsentArrivals);
  const whole = phases.findLast(({ kind }) => kind === "profiling");
  if (whole === undefined || whole.load.loop === "open") return 0;
  const { durationNs, requestCount } = phaseOfShard(whole, shard);
  if (!Number.isFinite(durationNs) || sent >= requestCount) return 0;
  const still = stalls.map((stall) => ({
    startNs: stall.startNs,
    endNs: Math.min(stall.endNs, startNs + durationNs),
  })).filter((stall) => stall.endNs > stall.startNs);
  const stillNs = lengthOf(still);
  return stillNs >= LONG_NS ? Math.min(1, stillNs / durationNs) : 0;
}

function lengthOf(stretches: NonNullable<RunSummary["stalls"]>): number {
  return stretches.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
}
