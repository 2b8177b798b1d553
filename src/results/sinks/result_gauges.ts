import { figuresOf, type MetricResult } from "../../measurement/metrics/metric_results.ts";
import { isExported } from "../../report/export/metric_object.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import { externalUnit } from "./external_unit.ts";
import { attributeList, type OtlpObject } from "./otlp_message.ts";

/** Statistics of which a value says something: the sum of all latencies does not. */
const STATISTICS = [
  ...["avg", "min", "max", "std", "p50", "p75", "p90", "p95", "p99"] as const,
];

/** The results of a run as gauges, `inferometer.run.<tag>`, at the time of its end. */
export function resultGauges(report: ProfileReport): OtlpObject[] {
  const time = String(report.endEpochNs);
  const common = { "gen_ai.request.model": report.model };
  return [...report.results.values()].filter(isExported).map((result) => {
    const { ucum } = externalUnit(result.metric);
    return {
      "name": `inferometer.run.${result.metric.tag}`,
      "unit": ucum,
      "description": result.metric.header,
      "gauge": {
        "dataPoints": pointsOf(result).map(([statistic, value]) => ({
          "attributes": attributeList({ ...common, "inferometer.statistic": statistic }),
          "timeUnixNano": time,
          "asDouble": value,
        })),
      },
    };
  });
}

/** Values in the unit that other systems have; the one value of a run has no statistic. */
function pointsOf(result: MetricResult): [statistic: string | undefined, value: number][] {
  const { factor } = externalUnit(result.metric);
  if ("value" in result) return [[undefined, Number(result.value) * factor]];
  const figures = figuresOf(result);
  return STATISTICS.flatMap((statistic): [string, number][] => {
    const value = Number(figures[statistic] ?? NaN) * factor;
    return Number.isFinite(value) ? [[statistic, value]] : [];
  });
}
