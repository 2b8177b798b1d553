import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import type { ProfileReport } from "../model/profile_report.ts";

/** Returns the value that a metric had to meet, in its own unit; undefined for none. */
export function objectiveOf({ inputConfig }: ProfileReport, tag: MetricTag): number | undefined {
  const objectives = inputConfig["slos"] as Readonly<Record<string, unknown>> | undefined;
  const value = objectives?.[tag];
  return typeof value === "number" ? value : undefined;
}
