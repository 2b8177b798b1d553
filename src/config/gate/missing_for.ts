import { ANSWER_METRICS } from "../../measurement/answers/answer_metrics.ts";
import type { Slo } from "./slo.ts";
import { CATALOG } from "./slo_catalog.ts";

/**
 * Returns what a run lacks for an objective; undefined if it lacks nothing, or this is unknown
 * beforehand.
 */
export function missingFor(
  { metric, source }: Slo,
  run: {
    readonly streaming: boolean;
    readonly serverMetrics: boolean;
    readonly gpuTelemetry?: boolean;
    readonly cost?: boolean;
    readonly gpus?: boolean;
    /** Whether answers are compared with expected ones. @default true */
    readonly answers?: boolean;
    /** Whether drift is measured. @default true */
    readonly drift?: boolean;
  },
): string | undefined {
  if (source === "server") return run.serverMetrics ? undefined : "the servers' metrics";
  if (source === "gpu") return run.gpuTelemetry === false ? "GPU telemetry" : undefined;
  // The metric of some agents has that of all requests behind their name.
  const flags = CATALOG.get(metric.slice(metric.lastIndexOf(".") + 1))?.metric.flags ?? [];
  if (flags.includes("COST_ONLY") && !run.cost) return "--cost-per-hour";
  if (flags.includes("PER_GPU_ONLY") && !run.gpus) return "--gpus";
  if (metric === ANSWER_METRICS.correct.tag && run.answers === false) {
    return "--verify answers or --verify-tasks";
  }
  if (metric === ANSWER_METRICS.drift.tag && run.drift === false) return "--verify drift";
  return flags.includes("STREAMING_ONLY") && !run.streaming ? "--streaming" : undefined;
}
