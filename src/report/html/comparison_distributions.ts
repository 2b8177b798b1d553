/** The distributions of runs that are compared: histograms and cumulative curves of all sides. */

import type { Chart, ChartSeries } from "../../core/chart/chart.ts";
import { percentile } from "../../core/statistics/percentile.ts";
import { type ComparisonView, sideColor, sideValues } from "./comparison_view.ts";
import { differenceFinding } from "./difference_findings.ts";
import {
  BINS,
  countsBetween,
  cumulativeCurve,
  type Distribution,
  histogramEdges,
  LOG_RATIO,
} from "./distribution_charts.ts";

const SHOWN = [
  ["time_to_first_token", "ttft", "TTFT"],
  ["inter_token_latency", "itl", "ITL"],
  ["request_latency", "latency", "latency"],
] as const;

/** A side's values of one metric, ascending. */
interface SideColumn {
  readonly label: string;
  readonly index: number;
  readonly sorted: Float64Array;
}

/** The distributions that any side has. */
export function comparisonDistributions(view: ComparisonView): Distribution[] {
  return SHOWN.flatMap(([tag, id, name]) => {
    const columns = view.sides.map((side, index): SideColumn => ({
      ...{ label: side.label, index, sorted: sideValues(side, tag) },
    })).filter(({ sorted }) => sorted.length > 0);
    if (columns.length === 0) return [];
    const [linear, log] = (["linear", "log"] as const).map((scale) =>
      chartsOf(view, columns, id, name, scale)
    ) as [Chart[], Chart[]];
    const isLog = columns.some(({ sorted }) =>
      (sorted.at(-1) as number) > LOG_RATIO * percentile(sorted, 50)
    );
    return [{ name: name === "latency" ? "Latency" : name, linear, log, isLog }];
  });
}

function chartsOf(
  { comparisons }: ComparisonView,
  columns: readonly SideColumn[],
  id: string,
  name: string,
  scale: "linear" | "log",
): Chart[] {
  const x = { label: name, unit: "ms", scale };
  const common = { x, marks: [], spans: [] };
  const edges = histogramEdges(columns.map(({ sorted }) => sorted), scale, BINS);
  return [
    {
      ...common,
      id: `${id}-histogram-${scale}`,
      title: differenceFinding(comparisons, `${name} p50`) || name,
      caption: `Share of each side's requests by their ${name}`,
      y: { label: "requests", unit: "%", scale: "linear", min: 0 },
      series: columns.map(({ label, index, sorted }): ChartSeries => {
        const y = countsBetween(edges, sorted).map((count) => count / sorted.length * 100);
        return {
          ...{ label, color: sideColor(index), shape: "steps" },
          ...{ x: edges, y: [...y, y.at(-1) ?? null] },
        };
      }),
    },
    {
      ...common,
      id: `${id}-cumulative-${scale}`,
      title: differenceFinding(comparisons, `${name} p99`) || name,
      caption: `Share of requests whose ${name} is at most this`,
      y: { label: "requests", unit: "%", scale: "linear", min: 0, max: 100 },
      series: columns.map(({ label, index, sorted }) =>
        cumulativeCurve(sorted, label, sideColor(index))
      ),
    },
  ];
}
