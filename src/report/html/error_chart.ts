/** Chart of failures over time, a line for each kind. */

import type { Chart, ChartSeries, ColorName } from "../../core/chart/chart.ts";
import { countedText, countText, figureText } from "../../core/chart/figure_text.ts";
import { type FailureKind, type RunView, wholeSpan, zeroNs } from "./run_view.ts";
import { TimeBins } from "./time_bins.ts";
import { timeAxis, timelineSpans } from "./timeline_charts.ts";

const BINS = 80;
/** Kinds with lines of their own; the others share one. */
const COLORS: readonly ColorName[] = ["bad", "orange", "purple", "blue", "green"];
const OTHERS: ColorName = "grey";

/** Returns the chart; undefined if no request failed. */
export function errorChart(view: RunView): Chart | undefined {
  const { failures } = view;
  if (failures.length === 0) return undefined;
  const zero = zeroNs(view);
  const { startNs, endNs } = wholeSpan(view);
  const [start, end] = [(startNs - zero) / 1e9, (endNs - zero) / 1e9];
  return {
    id: "errors",
    title: findingOf(failures, zero),
    caption: "Failed requests per second by kind, at the time at which they failed",
    x: timeAxis(view),
    y: { label: "failed", unit: "requests/s", scale: "linear", min: 0 },
    series: together(failures).map(({ kind, timesNs }, index): ChartSeries => {
      const bins = new TimeBins(start, end, BINS);
      for (const time of timesNs) bins.add((time - zero) / 1e9, 1);
      const y = bins.perSecond(end);
      return {
        ...{ label: kind, color: COLORS[index] ?? OTHERS, shape: "steps" },
        ...{ x: bins.edges, y: [...y, y.at(-1) ?? null] },
      };
    }),
    marks: [],
    spans: timelineSpans(view),
  };
}

/** How many of each kind, and between which times. */
function findingOf(failures: readonly FailureKind[], zero: number): string {
  const count = failures.reduce((sum, { timesNs }) => sum + timesNs.length, 0);
  const kinds = failures.map(({ kind, timesNs }) => `${countText(timesNs.length)} ${kind}`);
  const times = failures.flatMap(({ timesNs }) => [timesNs[0] as number, timesNs.at(-1) as number]);
  const [first, last] = [Math.min(...times), Math.max(...times)].map((time) =>
    figureText((time - zero) / 1e9)
  );
  const when = first === last ? `at ${first} s` : `between ${first} s and ${last} s`;
  return `${countedText(count, "request")} failed: ${kinds.join(", ")}, ${when}`;
}

/** The most frequent kinds, and all others as one. */
function together(failures: readonly FailureKind[]): FailureKind[] {
  const others = failures.slice(COLORS.length);
  if (others.length === 0) return [...failures];
  const timesNs = Float64Array.from(others.flatMap(({ timesNs }) => [...timesNs])).sort();
  return [...failures.slice(0, COLORS.length), { kind: "others", timesNs }];
}
