import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import type { ProfileReport } from "../model/profile_report.ts";

/** The value that a metric was asked to keep to, in its own unit; undefined for none. */
export function objectiveOf({ inputConfig }: ProfileReport, tag: MetricTag): number | undefined {
  const objectives = inputConfig["slos"] as Readonly<Record<string, unknown>> | undefined;
  const value = objectives?.[tag];
  return typeof value === "number" ? value : undefined;
}
