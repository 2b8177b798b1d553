/** Differences and their intervals as dots and bars around zero. */

import { axisScale } from "../../core/chart/axis_scale.ts";
import { tickText } from "../../core/chart/axis_text.ts";
import type { ColorName } from "../../core/chart/chart.ts";
import { element, escapedMarkup } from "../../core/chart/markup.ts";
import { PALETTE } from "../../core/chart/palette.ts";
import { isAbsolute } from "../../measurement/compare/compared_statistics.ts";
import type { Comparison } from "../../measurement/compare/comparison.ts";
import type { Difference, Verdict } from "../../measurement/compare/difference.ts";
import { differenceTexts } from "../../measurement/compare/difference_texts.ts";

const WIDTH = 920;
const LEFT = 110;
const RIGHT = 190;
const ROW = 26;
const BOTTOM = 36;
/** The axis reaches at least this far, in percent, and beyond it only for differences themselves. */
const LEAST_REACH = 50;
const REACH_FACTOR = 2.5;

const COLORS: Readonly<Record<Verdict, ColorName>> = {
  "better": "green",
  "worse": "vermilion",
  "not significant": "grey",
  "not comparable": "grey",
};

/** Percent; percentage points of shares and the error rate. */
function percentOf({ statistic }: Difference, value: number): number {
  return isAbsolute(statistic) ? value : value * 100;
}

/** Returns the chart. An arrow marks an interval that extends beyond the chart. */
export function differencePicture(
  { before, after, differences }: Comparison,
  minDifference: number,
): string {
  const height = differences.length * ROW + BOTTOM;
  const ends = differences.map((one) => ({
    at: percentOf(one, one.difference),
    lower: percentOf(one, one.remark === undefined ? one.lower : one.difference),
    upper: percentOf(one, one.remark === undefined ? one.upper : one.difference),
  }));
  // One without an interval says too little to make all others small.
  const certain = ends.filter((_, row) => differences[row]?.remark === undefined);
  const reach = Math.max(LEAST_REACH, ...certain.map(({ at }) => Math.abs(at) * REACH_FACTOR));
  const within = (value: number): number => Math.max(-reach, Math.min(reach, value));
  const values = [0, 1, -1, ...ends.flatMap(({ lower, upper }) => [lower, upper].map(within))];
  const scale = axisScale({ label: "", unit: "%", scale: "linear" }, values, 9);
  const x = (value: number): number => LEFT + scale.at(value) * (WIDTH - LEFT - RIGHT);
  const least = minDifference * 100;
  const [from, to] = [Math.max(scale.min, -least), Math.min(scale.max, least)];
  const bottom = height - BOTTOM;
  const parts = [
    element(
      "rect",
      {
        x: x(from),
        y: 0,
        width: x(to) - x(from),
        height: bottom,
        fill: PALETTE.grey,
        opacity: 0.2,
      },
      element("title", {}, "negligible differences"),
    ),
    line(x(0), 0, x(0), bottom, 0.8),
    ...scale.ticks.flatMap((tick) => [
      line(x(tick), bottom, x(tick), bottom + 4, 0.5),
      text(x(tick), bottom + 16, tick > 0 ? `+${tickText(tick)}` : tickText(tick), "middle"),
    ]),
    text(
      (LEFT + WIDTH - RIGHT) / 2,
      height - 4,
      "difference in % (error rate and answers: percentage points)",
      "middle",
    ),
    ...differences.map((one, row) => {
      const { at, lower, upper } = ends[row] as (typeof ends)[number];
      return differenceRow(one, row * ROW + ROW / 2, {
        ...{ at: x(within(at)), low: x(within(lower)), high: x(within(upper)) },
        ...{ goesOnBelow: lower < -reach, goesOnAbove: upper > reach },
      });
    }),
  ];
  return element("svg", {
    viewBox: `0 0 ${WIDTH} ${height}`,
    role: "img",
    "aria-label": `Differences of ${after} from ${before}, with 95 % intervals, around zero`,
    "font-family": "system-ui, sans-serif",
    "font-size": 12,
  }, parts.join(""));
}

/** Position of a difference's interval in the chart. */
interface DrawnInterval {
  readonly at: number;
  readonly low: number;
  readonly high: number;
  /** Whether the interval extends beyond the chart's edges. */
  readonly goesOnBelow: boolean;
  readonly goesOnAbove: boolean;
}

/** Name, interval and verdict of a difference. */
function differenceRow(one: Difference, y: number, drawn: DrawnInterval): string {
  const { at, low, high } = drawn;
  const color = PALETTE[COLORS[one.verdict]];
  const bar = one.remark === undefined
    ? element("rect", {
      ...{ x: low, y: y - 4, width: Math.max(1, high - low), height: 8, fill: color },
      opacity: 0.45,
    })
    : "";
  const beyond = (drawn.goesOnBelow ? arrow(low, y, -1, color) : "") +
    (drawn.goesOnAbove ? arrow(high, y, 1, color) : "");
  const isTold = one.verdict === "better" || one.verdict === "worse";
  const dot = element("circle", {
    ...{ cx: at, cy: y, r: 5, stroke: color, "stroke-width": 2 },
    fill: isTold ? color : "none",
  });
  const { difference, verdict, interval, values } = differenceTexts(one);
  const said = element("title", {}, escapedMarkup(`${values}: ${difference} (${interval})`));
  return element(
    "g",
    {},
    said + text(LEFT - 8, y + 4, one.statistic.name, "end") + bar + beyond + dot +
      text(WIDTH - RIGHT + 12, y + 4, `${difference}  ${verdict}`, "start", isTold),
  );
}

function line(x1: number, y1: number, x2: number, y2: number, opacity: number): string {
  return element("line", { x1, y1, x2, y2, stroke: "currentColor", "stroke-opacity": opacity });
}

function text(
  x: number,
  y: number,
  words: string,
  anchor: "start" | "middle" | "end",
  isBold = false,
): string {
  return element("text", {
    ...{ x, y, "text-anchor": anchor, fill: "currentColor" },
    "font-weight": isBold ? 600 : undefined,
  }, escapedMarkup(words));
}

function arrow(x: number, y: number, direction: 1 | -1, color: string): string {
  const points = `${x + 9 * direction},${y} ${x},${y - 6} ${x},${y + 6}`;
  return element("polygon", { points, fill: color });
}
