import type { ClientFigures } from "../../config/gate/judged_run.ts";
import { figuresOf, type MetricResults } from "../../measurement/metrics/metric_results.ts";

/** Statistics of metrics as objectives find them, by the tags of the metrics. */
export function clientFigures(results: MetricResults): [string, ClientFigures][] {
  return [...results].map(([tag, result]) => [tag, {
    unit: result.metric.unit,
    stats: Object.fromEntries(
      Object.entries(figuresOf(result)).map(([name, figure]) => [name, Number(figure)]),
    ),
  }]);
}
