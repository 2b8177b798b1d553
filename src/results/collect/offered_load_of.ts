import { phaseOfShard } from "../../config/plan/phase_of_shard.ts";
import type { OfferedLoad } from "../../measurement/steady/offered_load.ts";
import type { RunFacts, RunSummary } from "./run_manifest.ts";

/** The load that the profiling phase of a run offers. */
export function offeredLoadOf(
  { plan: { phases, shard } }: RunFacts,
  { changes = [], firstIdleNs, startNs, unsentArrivals }: RunSummary,
  hasTurns: boolean,
): OfferedLoad {
  const profiling = phases.findLast(({ kind }) => kind === "profiling");
  if (profiling === undefined) return { loop: "varying", form: "no profiling phase" };
  const { durationNs, load, prefill } = phaseOfShard(profiling, shard);
  const varying = (form: string): OfferedLoad => ({ loop: "varying", form });
  if (changes.length > 0) return varying("changes during the run");
  if (load.concurrencyRamp !== undefined) return varying("a ramp of the concurrency");
  if (prefill?.ramp !== undefined) return varying("a ramp of the prefill concurrency");
  if (load.loop === "closed") {
    return { loop: "closed", slots: load.concurrency, hasTurns, firstIdleNs };
  }
  if (load.isSchedule) return varying("the arrival times of the input file");
  if (load.rateSeries !== undefined) return varying("a series of rates");
  if (load.rateRamp !== undefined) return varying("a ramp of the request rate");
  // Arrivals that found no free slot have no record.
  const lastArrivalNs = unsentArrivals > 0 && durationNs < Infinity
    ? startNs + durationNs
    : undefined;
  return { loop: "open", hasTurns, lastArrivalNs };
}
