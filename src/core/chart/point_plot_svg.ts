/** Draws a plot of points as SVG at the width that it is shown with, so that its texts keep their size. */

import { type AxisScale, axisScale } from "./axis_scale.ts";
import { tickText } from "./axis_text.ts";
import type { ColorName } from "./chart.ts";
import { element, escapedMarkup } from "./markup.ts";
import { placedLabels } from "./plot_labels.ts";
import type { PlotBand, PlotLine, PlotPoint, PlotRule, PointPlot } from "./point_plot.ts";

/** Width below which a screen is narrow, in CSS pixels. */
const NARROW = 520;
const MARGIN = { top: 34, bottom: 46, left: 56, right: 22 } as const;
const RADIUS = 5.5;
/** Least distance of values below the x axis. */
const TICK_ROOM = 24;
/** Distances of axis texts from their axes. */
const TICK_GAP = { x: 18, y: 8, title: 37 } as const;
/** Text colours: a mark needs less contrast than text. */
const TEXT: Readonly<Partial<Record<ColorName, string>>> = {
  decode: "var(--client)",
  queue: "var(--bad)",
  prefill: "var(--warn)",
  network: "var(--second)",
  grey: "var(--second)",
};

/** A plot at a width: its scales, and its edges in CSS pixels. */
export interface PlotLayout {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly xScale: AxisScale;
  readonly yScale: AxisScale;
  x(value: number): number;
  y(value: number): number;
}

/** Returns the layout of a plot at a width in CSS pixels. */
export function plotLayout(plot: PointPlot, width: number): PlotLayout {
  const height = width < NARROW ? plot.narrowHeight : plot.height;
  const [left, right] = [MARGIN.left, width - MARGIN.right];
  const [top, bottom] = [MARGIN.top, height - MARGIN.bottom];
  const { bands, lines, points } = plot;
  const xScale = axisScale(
    plot.x,
    [...points.flatMap(({ x, xRange = [] }) => [x, ...xRange]), ...lines.flatMap(({ x }) => x)],
    width < NARROW ? 4 : 8,
  );
  const yScale = axisScale(plot.y, [
    ...points.flatMap(({ y, yRange = [] }) => [y, ...yRange]),
    ...lines.flatMap(({ y }) => y),
    ...bands.flatMap(({ lower, upper }) => [...lower, ...upper]),
  ], 5);
  return {
    ...{ width, height, left, right, top, bottom, xScale, yScale },
    x: (value) => left + (right - left) * clamped(xScale.at(value)),
    y: (value) => bottom - (bottom - top) * clamped(yScale.at(value)),
  };
}

/** Keeps what is beyond an axis at its edge. */
function clamped(share: number): number {
  return Number.isFinite(share) ? Math.max(-0.02, Math.min(1.02, share)) : 0;
}

/** Returns the plot. */
export function pointPlotSvg(plot: PointPlot, width: number): string {
  const layout = plotLayout(plot, width);
  const { bottom, height, left, right, top } = layout;
  const shaded = plot.shaded?.map(layout.x);
  return element(
    "svg",
    {
      ...{ viewBox: `0 0 ${width} ${height}`, width, height, role: "img" },
      ...{ "aria-label": plot.name, "font-size": 12 },
    },
    [
      shaded === undefined ? "" : element("rect", {
        ...{ x: shaded[0], y: top, height: bottom - top, fill: "var(--ramp)" },
        width: Math.max(0, (shaded[1] as number) - (shaded[0] as number)),
      }),
      axes(plot, layout),
      ...plot.bands.map((band) => bandPath(band, layout)),
      ...plot.lines.map((line) => linePath(line, layout)),
      ...plot.rules.map((rule) => ruleLine(rule, layout)),
      ...plot.points.flatMap((point) => intervalLines(point, layout)),
      ...plot.points.map((point) => markOf(point, layout)),
      labels(plot, layout),
      ...plot.notes.map(({ color, text: words, x, y }) =>
        text(layout.x(x), layout.y(y), words, "start", color, true)
      ),
      element("line", {
        ...{ class: "cursor", x1: left, x2: left, y1: top, y2: bottom, visibility: "hidden" },
        stroke: "var(--soft)",
      }),
      element("circle", {
        ...{ class: "ring", r: 10, cx: right, cy: top, fill: "none", visibility: "hidden" },
        ...{ stroke: "var(--ink)", "stroke-width": 1.5 },
      }),
    ].join(""),
  );
}

/** Own values of an axis that are far enough apart to be written. */
function spacedTicks(ticks: readonly number[], layout: PlotLayout): number[] {
  let last = -Infinity;
  return ticks.toSorted((a, b) => a - b).filter((tick) => {
    const at = layout.x(tick);
    if (at - last < TICK_ROOM) return false;
    last = at;
    return true;
  });
}

function axes({ x, xTicks, y }: PointPlot, layout: PlotLayout): string {
  const { bottom, left, right, top, xScale, yScale } = layout;
  return [
    ...yScale.ticks.map((tick) => {
      const at = layout.y(tick);
      const stroke = tick === 0 ? "var(--soft)" : "var(--grid)";
      return element("line", { x1: left, x2: right, y1: at, y2: at, stroke }) +
        text(left - TICK_GAP.y, at + 4, tickText(tick), "end", "grey");
    }),
    element("line", { x1: left, x2: right, y1: bottom, y2: bottom, stroke: "var(--soft)" }),
    ...(xTicks === undefined ? xScale.ticks : spacedTicks(xTicks, layout)).map((tick) => {
      const at = layout.x(tick);
      return element("line", {
        ...{ x1: at, x2: at, y1: bottom, y2: bottom + 4, stroke: "var(--soft)" },
      }) + text(at, bottom + TICK_GAP.x, tickText(tick), "middle", "grey");
    }),
    text(right, bottom + TICK_GAP.title, x.label, "end", "grey"),
    text(0, top - 14, y.label, "start", "grey"),
  ].join("");
}

function bandPath({ color, lower, upper, x }: PlotBand, layout: PlotLayout): string {
  if (x.length === 0) return "";
  const forth = x.map((at, i) => `${layout.x(at)} ${layout.y(upper[i] as number)}`);
  const back = x.map((at, i) => `${layout.x(at)} ${layout.y(lower[i] as number)}`).reverse();
  return element("path", {
    d: `M${[...forth, ...back].join("L")}Z`,
    ...{ fill: `var(--${color})`, opacity: 0.25 },
  });
}

function linePath({ color, isDashed, x, y }: PlotLine, layout: PlotLayout): string {
  if (x.length < 2) return "";
  return element("path", {
    d: `M${x.map((at, i) => `${layout.x(at)} ${layout.y(y[i] as number)}`).join("L")}`,
    ...{ fill: "none", stroke: `var(--${color})`, "stroke-width": 1.8 },
    "stroke-dasharray": isDashed ? "5 4" : undefined,
  });
}

function ruleLine({ at, axis, label }: PlotRule, layout: PlotLayout): string {
  const { bottom, left, right, top } = layout;
  const dashes = { stroke: "var(--second)", "stroke-dasharray": "4 3" };
  if (axis === "y") {
    const y = layout.y(at);
    return element("line", { x1: left, x2: right, y1: y, y2: y, ...dashes }) +
      text(left + 6, y - 5, label, "start", "grey", true);
  }
  const x = layout.x(at);
  const isRight = x > (left + right) / 2;
  return element("line", { x1: x, x2: x, y1: top, y2: bottom, ...dashes }) +
    text(x + (isRight ? -5 : 5), top + 10, label, isRight ? "end" : "start", "grey", true);
}

function intervalLines(point: PlotPoint, layout: PlotLayout): string[] {
  const stroke = { stroke: `var(--${point.color})`, "stroke-width": 1.3, opacity: 0.8 };
  const [x, y] = [layout.x(point.x), layout.y(point.y)];
  const line = (ends: readonly [number, number], isAcross: boolean): string =>
    element("line", {
      ...(isAcross
        ? { x1: layout.x(ends[0]), x2: layout.x(ends[1]), y1: y, y2: y }
        : { x1: x, x2: x, y1: layout.y(ends[0]), y2: layout.y(ends[1]) }),
      ...stroke,
    });
  return [
    ...(point.xRange === undefined ? [] : [line(point.xRange, true)]),
    ...(point.yRange === undefined ? [] : [line(point.yRange, false)]),
  ];
}

function markOf(point: PlotPoint, layout: PlotLayout): string {
  const { color, isHollow, isStrong, shape } = point;
  const [x, y] = [layout.x(point.x), layout.y(point.y)];
  const radius = isStrong ? RADIUS + 2 : RADIUS;
  const paint = isHollow
    ? { fill: "var(--bg)", stroke: `var(--${color})`, "stroke-width": 2 }
    : { fill: `var(--${color})`, stroke: "var(--bg)", "stroke-width": 1 };
  return shape === "square"
    ? element("rect", {
      ...{ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius },
      ...paint,
    })
    : element("circle", { cx: x, cy: y, r: radius, ...paint });
}

function labels({ points }: PointPlot, layout: PlotLayout): string {
  const named = points.filter(({ label }) => label !== "");
  const room = { ...layout, left: layout.left - 20, right: layout.width };
  const places = placedLabels(
    named.map(({ label, x, y }) => ({ x: layout.x(x), y: layout.y(y), text: label })),
    room,
  );
  return named.map(({ color, label, shape }, index) => {
    const { anchor, x, y } = places[index] as (typeof places)[number];
    // Sides of a comparison have colours of their own, one sweep's labels are plain.
    return text(x, y, label, anchor, shape === "square" || color === "a" ? color : "ink", true);
  }).join("");
}

function text(
  x: number,
  y: number,
  words: string,
  anchor: "start" | "middle" | "end",
  color: ColorName,
  isBold = false,
): string {
  return element("text", {
    ...{ x, y, "text-anchor": anchor, fill: TEXT[color] ?? `var(--${color})` },
    ...(isBold
      ? {
        ...{ "font-weight": 600, "paint-order": "stroke", stroke: "var(--bg)" },
        ...{ "stroke-width": 4, "stroke-linejoin": "round" },
      }
      : {}),
  }, escapedMarkup(words));
}
