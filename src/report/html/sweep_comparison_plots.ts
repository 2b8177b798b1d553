/** The plots of a comparison of sweeps. */

import { figureText } from "../../core/chart/figure_text.ts";
import type { PlotPoint, PointPlot } from "../../core/chart/point_plot.ts";
import { shortText } from "../../core/chart/short_text.ts";
import type { FrontierCurve } from "../../measurement/compare/frontier_curve.ts";
import { percentText } from "../../measurement/compare/percent_text.ts";
import {
  settingsText,
  type SidePoint,
  stepVerdict,
  type SweepComparison,
} from "../../measurement/compare/sweep_comparison.ts";
import { pointLabel } from "../sweep/point_values.ts";
import { axisOver, zeroAxis } from "./sweep_plots.ts";

/** Largest and smallest difference that is drawn in full, in percent. */
const REACH = { below: -100, above: 200 } as const;

/** Length of names inside of a plot. */
const MAX_NAME = 16;

/** Colours and forms of the sides. */
export const SIDES = {
  before: { color: "a", shape: "circle" },
  after: { color: "b", shape: "square" },
} as const;

/** Both frontiers on one plane; undefined if no point has both values. */
export function frontiersPlot(comparison: SweepComparison): PointPlot | undefined {
  const { after, before, frontier: { curves }, isPerGpu, sides } = comparison;
  const points = [
    ...marks(sides.before, before, SIDES.before),
    ...marks(sides.after, after, SIDES.after),
  ];
  if (points.length === 0) return undefined;
  const line = (curve: FrontierCurve) => ({
    x: curve.map(({ speed }) => speed),
    y: curve.map(({ rate }) => rate),
  });
  return {
    ...{ kind: "points", id: "frontiers", height: 430, narrowHeight: 340 },
    name: `Frontiers of ${before} and ${after}: throughput against tokens/s/user`,
    x: { ...axisOver(points), label: "output tokens/s/user (pooled) →" },
    y: { ...zeroAxis(points), label: `↑ output tokens/s${isPerGpu ? " per GPU" : ""}` },
    lines: [
      { color: SIDES.before.color, ...line(curves.before) },
      { color: SIDES.after.color, isDashed: true, ...line(curves.after) },
    ],
    ...{ bands: [], points, rules: [], notes: [] },
  };
}

function marks(
  points: readonly SidePoint[],
  label: string,
  side: typeof SIDES.before | typeof SIDES.after,
): PlotPoint[] {
  return points.filter(({ rate, speed }) => rate > 0 && speed > 0).map((point) => {
    const { rate, rateInterval, runs, settings, speed, speedInterval } = point;
    const text = (value: number, interval: readonly [number, number]): string =>
      figureText(value) +
      (Number.isNaN(interval[0]) ? "" : ` (${interval.map(figureText).join(" to ")})`);
    return {
      ...{ x: speed, y: rate, ...side, isHollow: false },
      xRange: Number.isNaN(speedInterval[0]) ? undefined : speedInterval,
      yRange: Number.isNaN(rateInterval[0]) ? undefined : rateInterval,
      label: pointLabel({ settings: settings as Record<string, number> }),
      reading: {
        place: `${label}: ${settingsText(settings)}`,
        rows: [
          ["tokens/s/user", text(speed, speedInterval)],
          ["throughput", text(rate, rateInterval)],
          ["frontier", point.isOnFront ? "yes" : "no"],
          ["runs", String(runs)],
        ],
      },
    };
  });
}

/** The difference of the frontiers with its interval, along the same axis; undefined without any. */
export function frontierDifferencePlot(
  comparison: SweepComparison,
  x: PointPlot["x"],
): PointPlot | undefined {
  const { after, before, frontier: { steps } } = comparison;
  if (steps.length < 2) return undefined;
  const percent = (share: number): number =>
    Math.max(REACH.below, Math.min(REACH.above, share * 100));
  const known = steps.filter(({ lower }) => !Number.isNaN(lower));
  const ends = steps.flatMap(({ difference, lower, upper }) =>
    [difference, lower, upper].filter((value) => !Number.isNaN(value)).map(percent)
  );
  const reach = Math.max(10, ...ends.map(Math.abs)) * 1.1;
  const [least, most] = [Math.max(REACH.below, -reach), Math.min(REACH.above, reach)];
  const [first] = steps;
  return {
    ...{ kind: "points", id: "difference", height: 260, narrowHeight: 240 },
    name: `Difference in throughput of ${after} from ${before} at equal tokens/s/user`,
    x: { ...x, label: "at this many output tokens/s/user →" },
    y: {
      ...{
        label: `↑ ${shortName(after)} against ${shortName(before)}, %`,
        unit: "",
        scale: "linear",
      },
      ...{ min: least, max: most },
    },
    bands: [{
      color: "grey",
      x: known.map(({ speed }) => speed),
      lower: known.map(({ lower }) => percent(lower)),
      upper: known.map(({ upper }) => percent(upper)),
    }],
    lines: [{
      color: "ink",
      x: steps.map(({ speed }) => speed),
      y: steps.map(({ difference }) => percent(difference)),
    }],
    ...{ points: [], rules: [] },
    notes: [
      {
        x: x.min ?? first?.speed ?? 0,
        y: most * 0.72,
        text: `${shortName(after)} better`,
        color: "b",
      },
      {
        x: x.min ?? first?.speed ?? 0,
        y: least * 0.72,
        text: `${shortName(before)} better`,
        color: "a",
      },
    ],
    readings: steps.map((step) => ({
      x: step.speed,
      reading: {
        place: `${figureText(step.speed)} tokens/s/user`,
        rows: [
          [before, figureText(step.before)] as const,
          [after, figureText(step.after)] as const,
          ["difference", percentText(step.difference)] as const,
          ...(Number.isNaN(step.lower)
            ? []
            : [["95 %", `${percentText(step.lower)} to ${percentText(step.upper)}`] as const]),
          ["", stepVerdict(step, comparison)] as const,
        ],
      },
    })),
  };
}

/** Name of a side for the inside of a plot, where there is little room. */
function shortName(label: string): string {
  return shortText(label, MAX_NAME);
}
