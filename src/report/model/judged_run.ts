import type { ClientFigures, JudgedRun } from "../../config/gate/judge_slos.ts";
import type { ServerFigures } from "../../config/gate/server_figure.ts";
import { figuresOf } from "../../measurement/metrics/compute_results.ts";
import type { ProfileReport } from "./profile_report.ts";
import { judgedWindow, shownWindow } from "./shown_window.ts";
import type { ServerMetricsReport } from "./server_metrics_report.ts";

/** A run as gates see it. */
export function judgedRun(
  report:
    & Pick<ProfileReport, "results" | "measurementError" | "gpu">
    & Partial<Pick<ProfileReport, "sampling" | "steady" | "isWholeRunShown">>,
  metrics: ServerMetricsReport | undefined,
): JudgedRun {
  const { gpu } = report;
  const shown = shownWindow(report);
  const { results } = shown;
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
    gpu: gpu && gpuFigures(gpu),
    ...judgedWindow(shown),
  };
}

/** Figures of each GPU, then those of all GPUs of a maker. */
function gpuFigures({ report, efficiency }: NonNullable<ProfileReport["gpu"]>): ServerFigures[] {
  return [
    ...report.endpoints.flatMap(({ url, gpus }) =>
      gpus.flatMap(({ identity, figures }) =>
        figures.map(({ field: { key, unit }, stats }) => ({
          ...{ name: key, unit, stats: numbersOf(stats) },
          series: gpuText(identity.index, url),
        }))
      )
    ),
    ...efficiency.map(({ tag, unit, value }) => efficiencyFigure(tag, unit, value)),
  ];
}

function numbersOf(stats: object): Record<string, number> {
  return Object.fromEntries(Object.entries(stats).map(([name, value]) => [name, Number(value)]));
}

/** A figure of all GPUs of a maker. */
export function efficiencyFigure(tag: string, unit: string, value: number): ServerFigures {
  return { name: tag, unit, stats: { "avg": value }, series: tag.split("_")[0] ?? tag };
}

/** Which GPU it is, where there are several. */
export function gpuText(index: number, place: string): string {
  return `GPU ${index} of ${place}`;
}

/** A series by its endpoint and its labels. */
export function seriesText(
  endpointUrl: string,
  labels: readonly (readonly [name: string, value: string])[],
): string {
  const pairs = labels.map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? endpointUrl : `${endpointUrl} {${pairs.join(",")}}`;
}
