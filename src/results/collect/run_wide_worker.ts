import type { RunPlan } from "../../config/plan/run_plan.ts";

/**
 * The number of a load worker among those of all processes that share a run, so that what they
 * measured of themselves can be told apart when it is put together.
 * @param worker its number in this process
 */
export function runWideWorker(worker: number, shard: RunPlan["shard"]): number {
  return shard === undefined ? worker : shard.index + shard.count * worker;
}
