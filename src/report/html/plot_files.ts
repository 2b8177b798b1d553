import { chartSvg } from "../../core/chart/chart_svg.ts";
import { distributions } from "./distribution_charts.ts";
import { errorChart } from "./error_chart.ts";
import { requestChart } from "./request_chart.ts";
import type { PointResults } from "../sweep/point_results.ts";
import type { RunView } from "./run_view.ts";
import { sweepCharts } from "./sweep_charts.ts";
import { turnCharts } from "./turn_charts.ts";
import { timelineCharts } from "./timeline_charts.ts";
import { timeShares, timeShareSvg } from "./time_shares.ts";

const SIZE = { width: 900, height: 340 } as const;

/**
 * Yields the charts of a run as SVG files; for each distribution the kind of axis that shows more.
 */
export function* plotFiles(view: RunView): Generator<[name: string, svg: string]> {
  const charts = [
    ...timelineCharts(view),
    ...distributions(view).flatMap(({ linear, log, isLog }) => isLog ? log : linear),
    ...[requestChart(view), errorChart(view)].filter((chart) => chart !== undefined),
    ...(view.report.sessions === undefined ? [] : turnCharts(view.report.sessions)),
  ];
  for (const chart of charts) {
    yield [
      `${chart.id.replace(/-(linear|log)$/, "")}.svg`,
      chartSvg(chart, { ...SIZE, isFile: true }),
    ];
  }
  for (const share of timeShares(view)) {
    yield [`time-share-${share.side}.svg`, timeShareSvg(share, SIZE.width, true)];
  }
}

/** Yields the charts of a sweep as SVG files. */
export function* sweepPlotFiles(
  points: readonly PointResults[],
): Generator<[name: string, svg: string]> {
  const done = points.filter(({ successful }) => successful.length > 0);
  for (const chart of sweepCharts(done)) {
    yield [`${chart.id}.svg`, chartSvg(chart, { ...SIZE, isFile: true })];
  }
}
