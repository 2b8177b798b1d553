/** Draws a chart as SVG. */

import { type AxisScale, axisScale, withHeadroom, xValues, yValues } from "./axis_scale.ts";
import { axisTitle, tickText } from "./axis_text.ts";
import type { Chart, ChartSeries } from "./chart.ts";
import { element, escapedMarkup, shortNumber } from "./markup.ts";
import { paintOf } from "./palette.ts";
import { shortText } from "./short_text.ts";

/** Settings of {@linkcode chartSvg}. */
export interface ChartSvgOptions {
  readonly width: number;
  readonly height: number;
  /** A file of its own, with its title and a white ground; else it takes on the colours around it. */
  readonly isFile: boolean;
}

/** Space around the plot, in pixels. */
const LEFT = 58;
const RIGHT = 118;
const BOTTOM = 38;
/** Space below a panel, whose x axis has no title. */
const PANEL_BOTTOM = 22;
const TOP = 8;
const TITLE = 44;
/** Space above the plot for the label of a window. */
const WINDOW_LABEL = 12;
const FONT = "system-ui, sans-serif";
const TEXT_SIZE = 11;
/** Least distance between the labels at the ends of lines. */
const LABEL_STEP = 13;
const MAX_LABEL = 20;
const PIXELS_PER_TICK = { x: 64, y: 36 };

/** Where the plot is, and how values are placed in it. */
interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly xScale: AxisScale;
  readonly yScale: AxisScale;
  readonly isFile: boolean;
  x(value: number): number;
  y(value: number): number;
}

/** See the module's comment. */
export function chartSvg(chart: Chart, options: ChartSvgOptions): string {
  const { width, height, isFile } = options;
  const plot = plotOf(chart, options);
  const parts = [
    isFile ? element("rect", { width, height, fill: "#fff" }) : "",
    isFile ? heading(chart) : "",
    spans(chart, plot),
    axes(chart, plot),
    `<g clip-path="url(#clip-${chart.id})">`,
    ...chart.series.map((series) => drawn(series, plot)),
    "</g>",
    marks(chart, plot),
    endLabels(chart, plot),
  ];
  const clip = element("clipPath", { id: `clip-${chart.id}` }, rectOf(plot));
  return element(
    "svg",
    {
      ...(isFile ? { xmlns: "http://www.w3.org/2000/svg", color: "#333", width, height } : {}),
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `${chart.title}. ${chart.caption}`,
      "font-family": FONT,
      "font-size": TEXT_SIZE,
    },
    `<defs>${clip}${hatching(chart, isFile)}</defs>${parts.join("")}`,
  );
}

function plotOf(chart: Chart, { width, height, isFile }: ChartSvgOptions): Plot {
  const left = LEFT;
  const right = Math.max(left + 40, width - RIGHT);
  const hasWindow = chart.spans.some(({ kind }) => kind === "window");
  const top = TOP + (isFile ? TITLE : 0) + (hasWindow ? WINDOW_LABEL : 0);
  const bottom = Math.max(top + 40, height - (chart.isPanel ? PANEL_BOTTOM : BOTTOM));
  const wanted = (pixels: number, each: number): number => Math.max(2, Math.floor(pixels / each));
  const xScale = axisScale(chart.x, xValues(chart), wanted(right - left, PIXELS_PER_TICK.x));
  const yScale = withHeadroom(chart.y, yValues(chart), wanted(bottom - top, PIXELS_PER_TICK.y));
  return {
    ...{ left, right, top, bottom, xScale, yScale, isFile },
    x: (value) => left + xScale.at(value) * (right - left),
    y: (value) => bottom - yScale.at(value) * (bottom - top),
  };
}

function heading({ title, caption }: Chart): string {
  return element(
    "text",
    { x: 10, y: 18, "font-size": 14, "font-weight": 600, fill: "#111" },
    escapedMarkup(title),
  ) +
    element("text", { x: 10, y: 35, fill: "#555" }, escapedMarkup(caption));
}

function rectOf({ left, right, top, bottom }: Plot): string {
  return element("rect", { x: left, y: top, width: right - left, height: bottom - top });
}

function hatching({ id, spans }: Chart, isFile: boolean): string {
  if (!spans.some(({ kind }) => kind === "stall")) return "";
  return element(
    "pattern",
    {
      id: `hatch-${id}`,
      width: 6,
      height: 6,
      patternUnits: "userSpaceOnUse",
      patternTransform: "rotate(45)",
    },
    element("line", {
      x1: 0,
      y1: 0,
      x2: 0,
      y2: 6,
      stroke: paintOf("bad", isFile),
      "stroke-width": 2,
    }),
  );
}

function spans({ id, spans }: Chart, plot: Plot): string {
  return spans.map(({ label, from, to, kind }) => {
    const x = Math.max(plot.left, plot.x(from));
    const width = Math.max(kind === "stall" ? 2 : 0, Math.min(plot.right, plot.x(to)) - x);
    if (!(width > 0)) return "";
    if (kind === "window") {
      const middle = { x: x + width / 2, y: plot.top - 4, "text-anchor": "middle" };
      return element("text", { ...middle, fill: "currentColor" }, escapedMarkup(label));
    }
    const area = { x, y: plot.top, width, height: plot.bottom - plot.top };
    const fill = kind === "stall"
      ? { fill: `url(#hatch-${id})`, opacity: 0.7 }
      : { fill: paintOf("grey", plot.isFile), opacity: 0.13 };
    return element("rect", { ...area, ...fill }, element("title", {}, escapedMarkup(label))) +
      (kind === "phase" && width > label.length * 6
        ? element(
          "text",
          { x: x + 4, y: plot.top + 11, fill: "currentColor", opacity: 0.65 },
          escapedMarkup(label),
        )
        : "");
  }).join("");
}

function axes(chart: Chart, plot: Plot): string {
  const { left, right, top, bottom } = plot;
  const grid = { stroke: "currentColor", "stroke-opacity": 0.15 };
  const text = { fill: "currentColor", opacity: 0.8 };
  const parts: string[] = [];
  for (const tick of plot.yScale.ticks) {
    const y = plot.y(tick);
    parts.push(element("line", { x1: left, x2: right, y1: y, y2: y, ...grid }));
    parts.push(
      element("text", { x: left - 6, y: y + 4, "text-anchor": "end", ...text }, tickText(tick)),
    );
  }
  for (const tick of plot.xScale.ticks) {
    const x = plot.x(tick);
    parts.push(
      element("line", { x1: x, x2: x, y1: bottom, y2: bottom + 4, ...grid, "stroke-opacity": 0.5 }),
    );
    parts.push(
      element("text", { x, y: bottom + 15, "text-anchor": "middle", ...text }, tickText(tick)),
    );
  }
  const line = { stroke: "currentColor", "stroke-opacity": 0.5 };
  parts.push(element("line", { x1: left, x2: right, y1: bottom, y2: bottom, ...line }));
  if (!chart.isPanel) {
    parts.push(element(
      "text",
      { x: (left + right) / 2, y: bottom + 31, "text-anchor": "middle", ...text },
      escapedMarkup(axisTitle(chart.x)),
    ));
  }
  const middle = (top + bottom) / 2;
  parts.push(element(
    "text",
    {
      x: 12,
      y: middle,
      "text-anchor": "middle",
      transform: `rotate(-90 12 ${shortNumber(middle)})`,
      ...text,
    },
    escapedMarkup(axisTitle(chart.y)),
  ));
  return parts.join("");
}

function drawn(series: ChartSeries, plot: Plot): string {
  const color = paintOf(series.color, plot.isFile);
  const dash = series.isDashed ? "5 4" : undefined;
  const stroke = { fill: "none", stroke: color, "stroke-width": 1.6, "stroke-dasharray": dash };
  switch (series.shape) {
    case "points":
      return points(series, plot, color);
    case "band":
      return element("path", { d: bandPath(series, plot), fill: color, opacity: 0.22 });
    case "stack":
      return element("path", { d: stackPath(series, plot), fill: color, opacity: 0.85 });
    case "bars":
      return element("path", { d: barsPath(series, plot), fill: color, opacity: 0.75 });
    default:
      return element("path", { d: linePath(series, plot), ...stroke, "stroke-linejoin": "round" });
  }
}

function points({ x, y, radii, color: name }: ChartSeries, plot: Plot, color: string): string {
  const marks = x.map((at, index) => {
    const value = y[index];
    if (value === null || value === undefined) return "";
    const r = radii?.[index] ?? 2.5;
    const [cx, cy] = [shortNumber(plot.x(at)), shortNumber(plot.y(value))];
    // Failures differ by their form as well.
    if (name !== "vermilion" && name !== "bad" && name !== "grey") {
      return `<circle cx="${cx}" cy="${cy}" r="${shortNumber(r)}"/>`;
    }
    return `<path d="M${cx} ${cy}m-4 -4l8 8m0 -8l-8 8" stroke="${color}" stroke-width="2"/>`;
  });
  return element("g", { fill: color, "fill-opacity": 0.55 }, marks.join(""));
}

function linePath({ x, y, shape }: ChartSeries, plot: Plot): string {
  let path = "";
  let isDown = false;
  x.forEach((at, index) => {
    const value = y[index];
    if (value === null || value === undefined) {
      isDown = false;
      return;
    }
    const [px, py] = [shortNumber(plot.x(at)), shortNumber(plot.y(value))];
    if (!isDown) path += `M${px} ${py}`;
    else if (shape === "steps") path += `H${px}V${py}`;
    else path += `L${px} ${py}`;
    isDown = true;
  });
  return path;
}

function barsPath({ x, y }: ChartSeries, plot: Plot): string {
  const ground = shortNumber(plot.bottom);
  return x.map((at, index) => {
    const next = x[index + 1];
    const value = y[index];
    if (next === undefined || value === null || value === undefined || value === 0) return "";
    return `M${shortNumber(plot.x(at))} ${ground}V${shortNumber(plot.y(value))}` +
      `H${shortNumber(plot.x(next))}V${ground}Z`;
  }).join("");
}

/** Returns an outline for each value of a part of a stack; it holds until the next one. */
function stackPath({ x, y, upper = [] }: ChartSeries, plot: Plot): string {
  return x.map((at, index) => {
    const [next, from, to] = [x[index + 1], y[index] ?? null, upper[index] ?? null];
    if (next === undefined || from === null || to === null || to === from) return "";
    const [left, right] = [shortNumber(plot.x(at)), shortNumber(plot.x(next))];
    return `M${left} ${shortNumber(plot.y(from))}V${shortNumber(plot.y(to))}` +
      `H${right}V${shortNumber(plot.y(from))}Z`;
  }).join("");
}

/** Returns one closed outline for each interval without gaps. */
function bandPath({ x, y, upper = [] }: ChartSeries, plot: Plot): string {
  let path = "";
  let from = 0;
  const has = (index: number): boolean =>
    (y[index] ?? null) !== null && (upper[index] ?? null) !== null;
  for (let index = 0; index <= x.length; index++) {
    if (index < x.length && has(index)) continue;
    if (index - from > 1) {
      const row = (values: readonly (number | null)[], i: number): string =>
        `${shortNumber(plot.x(x[i] as number))} ${shortNumber(plot.y(values[i] as number))}`;
      const places = Array.from({ length: index - from }, (_, i) => from + i);
      path += `M${places.map((i) => row(upper, i)).join("L")}L` +
        `${places.toReversed().map((i) => row(y, i)).join("L")}Z`;
    }
    from = index + 1;
  }
  return path;
}

function marks({ marks }: Chart, plot: Plot): string {
  return marks.map(({ label, at, axis }) => {
    const place = axis === "x" ? plot.x(at) : plot.y(at);
    const [least, most] = axis === "x" ? [plot.left, plot.right] : [plot.top, plot.bottom];
    if (!(place >= least && place <= most)) return "";
    const ends = axis === "x"
      ? { x1: place, x2: place, y1: plot.top, y2: plot.bottom }
      : { x1: plot.left, x2: plot.right, y1: place, y2: place };
    const stroke = { stroke: "currentColor", "stroke-dasharray": "2 3", "stroke-width": 1.4 };
    // Text must not leave the picture.
    const isRight = axis === "x" && place > (plot.left + plot.right) / 2;
    const text = axis === "x"
      ? {
        x: place + (isRight ? -4 : 4),
        y: plot.top + 11,
        "text-anchor": isRight ? "end" : "start",
      }
      : { x: plot.left + 4, y: place - 4 };
    return element("line", { ...ends, ...stroke }) +
      element("text", { ...text, fill: "currentColor" }, escapedMarkup(label));
  }).join("");
}

/** Labels where the lines end, moved apart where they would lie on each other. */
function endLabels({ series }: Chart, plot: Plot): string {
  const labels = series.filter(({ isUnlabelled }) => isUnlabelled !== true).map(
    ({ label, color, y, upper, shape }) => {
      const end = (upper ?? y).findLast((value) => value !== null);
      const wanted = end === undefined || end === null || shape === "points" || shape === "bars"
        ? plot.top
        : plot.y(end);
      return { label, color, y: Math.min(Math.max(wanted + 4, plot.top + 8), plot.bottom) };
    },
  ).sort((a, b) => a.y - b.y);
  for (let i = 1; i < labels.length; i++) {
    const [before, label] = [labels[i - 1], labels[i]] as [{ y: number }, { y: number }];
    label.y = Math.max(label.y, before.y + LABEL_STEP);
  }
  const excess = Math.max(0, (labels.at(-1)?.y ?? 0) - plot.bottom);
  return labels.map(({ label, color, y }) => {
    const short = shortText(label, MAX_LABEL);
    return element("rect", {
      x: plot.right + 6,
      y: y - excess - 8,
      width: 8,
      height: 8,
      fill: paintOf(color, plot.isFile),
    }) +
      element(
        "text",
        { x: plot.right + 18, y: y - excess, fill: "currentColor" },
        escapedMarkup(short),
      );
  }).join("");
}
