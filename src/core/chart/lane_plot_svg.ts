/** Draws lanes of calls as SVG at the width that they are shown with. */

import { axisScale } from "./axis_scale.ts";
import { tickText } from "./axis_text.ts";
import { LANE_COLORS, type LaneCall, type LanePlot } from "./lane_plot.ts";
import { element, escapedMarkup, shortNumber } from "./markup.ts";
import { shortText } from "./short_text.ts";

/** Width below which a screen is narrow, in CSS pixels. */
const NARROW = 520;
const ROW = 30;
/** Room for the name above a lane on narrow screens. */
const NAME_ROW = 18;
const TOP = 22;
const BOTTOM = 34;
/** Room for the names before the lanes, in CSS pixels. */
const NAMES = 170;
/** Characters of a name that have room before a lane. */
const MAX_NAME = 20;
const INDENT = 14;
const MAX_INDENT = 5;
/** Offsets from the top of a lane, and heights, of its parts. */
const BAR = { top: 4, height: 14 } as const;
const GAP = { top: 8, height: 6 } as const;
const USER_GAP = { top: 10, height: 2 } as const;
const CRITICAL = { top: 21, height: 2.5 } as const;
/** Least width of what is drawn. */
const MIN_WIDTH = 1.2;

/** A call in CSS pixels. */
export interface LaneBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly lane: number;
  readonly call: number;
}

interface LaneLayout {
  readonly isNarrow: boolean;
  readonly height: number;
  x(seconds: number): number;
  /** Top of a lane. */
  y(lane: number): number;
}

function layoutOf({ duration, lanes }: LanePlot, width: number): LaneLayout {
  const isNarrow = width < NARROW;
  const left = isNarrow ? 4 : NAMES;
  const row = isNarrow ? ROW + NAME_ROW : ROW;
  const scale = (width - 14 - left) / (duration > 0 ? duration : 1);
  return {
    isNarrow,
    height: TOP + lanes.length * row + BOTTOM,
    x: (seconds) => left + seconds * scale,
    y: (lane) => TOP + lane * row + (isNarrow ? NAME_ROW - 2 : 0),
  };
}

/** Returns the places of all calls at a width in CSS pixels. */
export function laneBoxes(plot: LanePlot, width: number): LaneBox[] {
  const layout = layoutOf(plot, width);
  return plot.lanes.flatMap(({ calls }, lane) =>
    calls.map(({ due, end }, call) => {
      const x = layout.x(due);
      return {
        ...{ x, y: layout.y(lane) + BAR.top, height: BAR.height, lane, call },
        width: Math.max(MIN_WIDTH, layout.x(end) - x),
      };
    })
  );
}

/** Returns the lanes. */
export function lanePlotSvg(plot: LanePlot, width: number): string {
  const layout = layoutOf(plot, width);
  const { height } = layout;
  return element(
    "svg",
    {
      ...{ viewBox: `0 0 ${width} ${height}`, width, height, role: "img" },
      ...{ "aria-label": plot.name, "font-size": 12 },
    },
    [
      hatching(plot.id),
      timeAxis(plot, layout, width),
      links(plot, layout),
      names(plot, layout),
      ...partPaths(plot, layout),
      element("circle", {
        ...{ class: "ring", r: 9, cx: 0, cy: 0, fill: "none", visibility: "hidden" },
        ...{ stroke: "var(--ink)", "stroke-width": 1.5 },
      }),
    ].join(""),
  );
}

function hatching(id: string): string {
  const line = element("rect", { width: 2, height: 5, fill: "var(--network)" });
  return element(
    "pattern",
    {
      ...{ id: `hatch-${id}`, width: 5, height: 5, patternUnits: "userSpaceOnUse" },
      patternTransform: "rotate(45)",
    },
    line,
  );
}

function timeAxis({ duration }: LanePlot, layout: LaneLayout, width: number): string {
  const axis = { label: "", unit: "s", scale: "linear", min: 0, max: duration } as const;
  return axisScale(axis, [], layout.isNarrow ? 4 : 9).ticks.map((seconds, index) => {
    const x = layout.x(seconds);
    const label = `${tickText(seconds)}${index === 0 ? " s" : ""}`;
    const anchor = x > width - 20 ? "end" : x < 20 ? "start" : "middle";
    return element("line", {
      ...{ x1: x, x2: x, y1: TOP - 6, y2: layout.height - BOTTOM + 4, stroke: "var(--grid)" },
    }) + element("text", {
      ...{ x, y: layout.height - 10, "text-anchor": anchor, fill: "var(--second)" },
    }, label);
  }).join("");
}

function links({ links }: LanePlot, layout: LaneLayout): string {
  const middle = BAR.top + BAR.height / 2;
  const d = links.map(({ at, from, to }) =>
    `M${shortNumber(layout.x(at))} ${layout.y(from) + middle}V${layout.y(to) + middle}`
  ).join("");
  if (d === "") return "";
  return element("path", { d, fill: "none", stroke: "var(--soft)", opacity: 0.7 });
}

function names({ lanes }: LanePlot, layout: LaneLayout): string {
  return lanes.map(({ depth, label }, lane) => {
    const name = shortText(label, MAX_NAME);
    const x = layout.isNarrow ? 4 : INDENT * Math.min(depth, MAX_INDENT);
    const y = layout.isNarrow ? layout.y(lane) - 4 : layout.y(lane) + BAR.top + 11;
    return element("text", {
      ...{ x, y, fill: depth === 0 ? "var(--ink)" : "var(--second)" },
      // Lines that lead to other lanes pass behind the names.
      ...{ "paint-order": "stroke", stroke: "var(--bg)", "stroke-width": 4 },
      "font-weight": depth === 0 ? 600 : undefined,
    }, `${depth > 0 ? "└ " : ""}${escapedMarkup(name)}`);
  }).join("");
}

/** A path for each kind of part: many calls would be large as elements of their own. */
function partPaths(plot: LanePlot, layout: LaneLayout): string[] {
  const paths = new Map<string, string>();
  const add = (
    fill: string,
    [from, to]: readonly [number, number],
    y: number,
    { top, height }: { readonly top: number; readonly height: number },
    isShortest = false,
  ): void => {
    const x = layout.x(from);
    const width = Math.max(layout.x(to) - x, isShortest ? MIN_WIDTH : 0);
    if (width < 0.1) return;
    const box = `M${shortNumber(x)} ${y + top}h${shortNumber(width)}v${height}h${
      shortNumber(-width)
    }z`;
    paths.set(fill, (paths.get(fill) ?? "") + box);
  };
  const color = (call: LaneCall, part: keyof typeof LANE_COLORS): string =>
    `var(--${LANE_COLORS[call.hasFailed ? "failed" : part]})`;
  plot.lanes.forEach(({ calls }, lane) => {
    const y = layout.y(lane);
    for (const call of calls) {
      const { criticalUntil, due, end, first = call.start, from = due, gap } = call;
      if (gap === "tool") add(`url(#hatch-${plot.id})`, [from, due], y, GAP);
      else if (gap === "user") add("var(--line)", [from, due], y, USER_GAP);
      add(`var(--${LANE_COLORS.waiting})`, [due, call.start], y, BAR);
      add(color(call, "prefill"), [call.start, first], y, BAR);
      add(color(call, "decode"), [first, end], y, BAR, true);
      if (criticalUntil !== undefined) add("var(--ink)", [from, criticalUntil], y, CRITICAL);
    }
  });
  return [...paths].map(([fill, d]) => element("path", { d, fill }));
}
