import type { RunPlan } from "../../config/plan/run_plan.ts";
import type { MachineFacts } from "../../results/collect/run_manifest.ts";
import type { RunHooks } from "./run_hooks.ts";
import type { RunNotes } from "./run_notes.ts";

/** What a run goes by, from its beginning to its end. */
export interface RunContext {
  /** With the folder that it was given, and the exporters of GPU metrics that are there. */
  readonly plan: RunPlan;
  readonly hooks: RunHooks;
  readonly interrupt: AbortSignal;
  readonly notes: RunNotes;
  readonly machine: MachineFacts;
}
