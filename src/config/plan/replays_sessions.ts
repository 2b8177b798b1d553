import type { AgentsPlan } from "./agents_plan.ts";
import type { DatasetPlan, FileDatasetPlan } from "./run_plan.ts";

/** Whether the prompts of a plan are recorded agent sessions. */
export function replaysSessions(
  dataset: DatasetPlan,
): dataset is FileDatasetPlan & { readonly agents: AgentsPlan } {
  return dataset.source === "file" && dataset.agents !== undefined;
}
