import type { PayloadData } from "../dataset/payload_table.ts";
import type { PhasePlan, RunPlan } from "../plan/run_plan.ts";
import { MultiTurnWorkload } from "./multi_turn_workload.ts";
import { SingleTurnWorkload } from "./single_turn_workload.ts";
import type { Workload, WorkloadSource } from "./workload.ts";

/** What the threads of a run have to know to come to the same workloads. */
export function workloadSource(
  { seed, samplingStrategy, targets }: Pick<RunPlan, "seed" | "samplingStrategy" | "targets">,
  { modelCount, profilingEntries, warmupEntries, conversations }: Pick<
    PayloadData,
    "modelCount" | "profilingEntries" | "warmupEntries" | "conversations"
  >,
): WorkloadSource {
  return {
    seed,
    samplingStrategy,
    targetCount: targets.length,
    modelCount,
    profilingEntries,
    warmupEntries,
    conversations,
  };
}

/** The workload of a phase. */
export function createWorkload(source: WorkloadSource, phase: PhasePlan): Workload {
  const { conversations } = source;
  return conversations === undefined
    ? new SingleTurnWorkload(source, phase)
    : new MultiTurnWorkload(source, conversations, phase);
}
