import type { MetricTag } from "../../measurement/metrics/metric_tag.ts";
import type { ProfileReport } from "../model/profile_report.ts";

/** Returns the value that a metric had to meet, in its own unit; undefined for none. */
export function objectiveOf({ inputConfig }: ProfileReport, tag: MetricTag): number | undefined {
  const objectives = inputConfig["slos"] as Readonly<Record<string, unknown>> | undefined;
  const value = objectives?.[tag];
  return typeof value === "number" ? value : undefined;
}

/** Limit of a time in ms: of single requests, or of a statistic of the run; undefined for none. */
export function limitOf(report: ProfileReport, tag: MetricTag): number | undefined {
  const figures = report.gates.find(({ figures }) =>
    figures["metric"] === tag && figures["unit"] === "ms"
  )?.figures;
  const threshold = figures?.["threshold"];
  return objectiveOf(report, tag) ?? (typeof threshold === "number" ? threshold : undefined);
}
