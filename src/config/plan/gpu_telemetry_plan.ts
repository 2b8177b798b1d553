import type { GpuField } from "../../telemetry/gpu/gpu_fields.ts";
import type { ScrapePlan } from "./server_metrics_plan.ts";

/** Collection of what GPUs say of themselves. */
export interface GpuTelemetryPlan extends ScrapePlan {
  /** Fields beyond the usual ones. */
  readonly customFields: readonly GpuField[];
}
