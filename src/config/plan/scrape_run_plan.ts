import type { TlsTrust } from "../../client/http/transport.ts";
import type { OutputPlan } from "./run_plan.ts";
import type { ServerMetricsPlan } from "./server_metrics_plan.ts";

/** A scrape without load, fully described. */
export interface ScrapeRunPlan {
  readonly benchmarkId: string;
  readonly metrics: ServerMetricsPlan;
  readonly trust: TlsTrust;
  /** Infinity: until it is interrupted. */
  readonly durationNs: number;
  readonly output: Pick<OutputPlan, "directory" | "existing" | "prefix">;
  readonly secrets: readonly string[];
}
