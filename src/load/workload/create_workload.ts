import type { DatasetPlan, PhasePlan, RunPlan } from "../../config/plan/run_plan.ts";
import type { PageWindow } from "../dataset/payloads/page_window.ts";
import type { PayloadData } from "../dataset/payloads/payload_table.ts";
import { FixedScheduleWorkload } from "./fixed_schedule_workload.ts";
import { MultiTurnWorkload } from "./multi_turn_workload.ts";
import { PagedWorkload } from "./paged_workload.ts";
import { ShardWorkload } from "./shard_workload.ts";
import { SingleTurnWorkload } from "./single_turn_workload.ts";
import { UserCentricWorkload } from "./user_centric_workload.ts";
import type { Workload, WorkloadSource } from "./workload.ts";

/** Returns the data from which all threads of a run build identical workloads. */
export function workloadSource(
  { seed, samplingStrategy, targets, dataset, modelSelection, shard }:
    & Pick<RunPlan, "seed" | "samplingStrategy" | "targets" | "modelSelection" | "shard">
    & Partial<Pick<RunPlan, "dataset">>,
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
    ...(modelSelection === undefined ? {} : { modelSelection }),
    profilingEntries,
    warmupEntries,
    conversations,
    ...scheduleZero(dataset),
    ...(shard === undefined ? {} : { shard }),
    ...(dataset?.source === "file" && dataset.agents?.wraps ? { wrapsSessions: true } : {}),
  };
}

/**
 * The workload of a phase, or the part of it that the source's shard has.
 * @param pages the conversations of a file that is sent while it is read, as far as they have come
 */
export function createWorkload(
  source: WorkloadSource,
  phase: PhasePlan,
  pages?: PageWindow,
): Workload {
  const workload = wholeWorkload(source, phase, pages);
  return source.shard === undefined ? workload : new ShardWorkload(workload, source.shard);
}

function wholeWorkload(
  source: WorkloadSource,
  phase: PhasePlan,
  pages: PageWindow | undefined,
): Workload {
  if (source.pages !== undefined) return new PagedWorkload(source, phase, pages);
  const { conversations } = source;
  if (phase.load.loop === "open" && phase.load.isSchedule && conversations !== undefined) {
    return new FixedScheduleWorkload(source, conversations, phase);
  }
  const workload = conversations === undefined
    ? new SingleTurnWorkload(source, phase)
    : new MultiTurnWorkload(source, conversations, phase);
  const { load } = phase;
  return load.loop === "open" && load.users !== undefined
    ? new UserCentricWorkload(workload, load)
    : workload;
}

function scheduleZero(dataset: DatasetPlan | undefined): { readonly scheduleZeroNs?: number } {
  if (dataset?.source !== "file" || dataset.schedule?.zeroMs === undefined) return {};
  return { scheduleZeroNs: dataset.schedule.zeroMs / dataset.synthesis.speedup * 1e6 };
}
