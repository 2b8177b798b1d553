import type { GpuField } from "../../telemetry/gpu/gpu_fields.ts";
import type { ScrapePlan } from "./server_metrics_plan.ts";

/** Collection of GPU telemetry. */
export interface GpuTelemetryPlan extends ScrapePlan {
  /** Fields beyond the usual ones. */
  readonly customFields: readonly GpuField[];
}
