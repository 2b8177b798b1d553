import type { ClientFigures, JudgedRun } from "../gate/judge_slos.ts";
import type { ServerFigures } from "../gate/server_figure.ts";
import { figuresOf } from "../metrics/compute_results.ts";
import type { ProfileReport } from "./profile_report.ts";
import type { ServerMetricsReport } from "./server_metrics_report.ts";

/** A run as gates see it. */
export function judgedRun(
  { results, measurementError }: Pick<ProfileReport, "results" | "measurementError">,
  metrics: ServerMetricsReport | undefined,
): JudgedRun {
  return {
    client: new Map([...results].map(([tag, result]): [string, ClientFigures] => [tag, {
      unit: result.metric.unit,
      stats: Object.fromEntries(
        Object.entries(figuresOf(result)).map(([name, figure]) => [name, Number(figure)]),
      ),
    }])),
    server: metrics?.metrics.flatMap(({ series }) =>
      series.map(({ name, unit, stats, bounds = {}, endpointUrl, labels }): ServerFigures => (
        { name, unit, stats, bounds, series: seriesText(endpointUrl, labels) }
      ))
    ),
    bounds: new Map(measurementError?.metrics),
  };
}

/** A series by its endpoint and its labels. */
export function seriesText(
  endpointUrl: string,
  labels: readonly (readonly [name: string, value: string])[],
): string {
  const pairs = labels.map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? endpointUrl : `${endpointUrl} {${pairs.join(",")}}`;
}
