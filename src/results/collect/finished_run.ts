import type { FoundAhead } from "../../measurement/metrics/found_ahead.ts";
import type { GpuTelemetry } from "./gpu_telemetry.ts";
import type { PhaseFacts, RunFacts, RunSummary } from "./run_manifest.ts";
import type { RunRecords } from "./run_records.ts";

/** A run that is over. */
export interface FinishedRun {
  readonly facts: RunFacts;
  /** Those that began, in their order. */
  readonly phases: readonly PhaseFacts[];
  readonly records: RunRecords;
  readonly summary: RunSummary;
  /** What its GPUs did; undefined if there were none. */
  readonly gpu?: GpuTelemetry | undefined;
  /** What was found of its profiling phase already. */
  readonly ahead?: FoundAhead | undefined;
}
